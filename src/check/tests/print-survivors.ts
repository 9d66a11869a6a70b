import { counted } from '../../base/counted.ts';
import { LIBERTIES, LIE_FAMILIES, libertyInWords, lieRow } from '../../control/lies/lie-table.ts';
import { NOT_RUN_ALONE } from './judge-attempt.ts';
import { brittleOf, bySite, type LieAtSite, survivorsOf, untriedOf } from './mutate-report.ts';
import type { MutateReport } from './report-schema.ts';
import { ASSERTION, survivorLines } from './survivor-lines.ts';

/** Lines of the whole answer. */
const MOST_LINES = 40;
/** The lines around the survivors. */
const ADDED_LINES = 5;
const AGAIN = 'Add the assertion, then re-check that lie alone with --lie NAME; --trace FILE shows the run.';
const MADE_NO_DIFFERENCE = 'made no difference to anything here: --report FILE.html lists them.';
const DEAD = 'With the service dead (it answers 500 to every request)';
const MOST_NAMES = 3;
const MOST_DEAD = 5;
const MOST_UNREACHED = 6;
const WIDTH = 160;
const NOT_MET = 'Not exercised by any test, and not tried (`svc-emulator lies --explain NAME` says what a lie is):';

/** The answer for a reader, in at most 40 lines: what no test caught, and the assertion that catches it. */
export function printMutateReport(report: MutateReport): string {
  const head = [measuredLine(report), ...controlLines(report)];
  const tail = [
    ...lookedAtLines(report),
    ...brittleLines(report),
    ...unreachedLines(report),
    ...leftLines(report),
    ...notAloneLines(report),
    ...(report.error ? [report.error.message.split('\n')[0] ?? ''] : []),
    ...(Object.keys(report.families).length > 0 ? ['Caught, of the lies that reached a test:'] : []),
    numbersLine(report),
  ];
  const room = MOST_LINES - head.length - tail.length;
  const lines = [...head, ...answerLines(report, room), '', ...tail].map((line) => cut(line, WIDTH));
  return `${lines.join('\n')}\n`;
}

function measuredLine({ measured }: MutateReport): string {
  const { planned, told, runs, seconds } = measured;
  const lies = `${told} of ${counted(planned, 'planned lie')} reached a test`;
  return `Your tests ran ${counted(runs, 'time')} in ${inTime(seconds)}, while the service lied in one small way at a time: ${lies}.`;
}

function controlLines({ control: { passed_dead: passed }, units }: MutateReport): string[] {
  if (passed.length === 0) return [`${DEAD} every test that calls the service fails, as it should.`];
  const others = passed.length > MOST_DEAD ? `, and ${passed.length - MOST_DEAD} more` : '';
  return [
    `${DEAD} ${passed.length} of ${counted(units.length, 'test')} that call the service still pass:`,
    ...passed.slice(0, MOST_DEAD).map((name) => `  ${name}`),
    ...(others === '' ? [] : [`  ${others.slice(2)}`]),
  ];
}

/** What no test notices, as much of it as there is room for, and what nothing reads. */
function answerLines(report: MutateReport, room: number): string[] {
  const survivors = survivorLines(report, room - ADDED_LINES);
  const unread = bySite(report.lies).filter(({ verdict }) => verdict === 'unread').length;
  const note = unread === 0 ? [] : [`${counted(unread, 'change')} of content or form ${MADE_NO_DIFFERENCE}`];
  if (survivors.length > 0) return ['', 'Not caught:', ...survivors, AGAIN, ...note];
  if (report.measured.planned === 0) return note;
  const line =
    report.measured.told === 0 ? 'No lie reached a test.' : 'Your tests caught every lie they were exposed to.';
  return ['', line, ...note];
}

/** Operations that were called and all of whose lies survived. */
export function neverLookedAt(report: MutateReport): string[] {
  const sites = new Map<string, boolean>();
  for (const { site, verdict } of bySite(report.lies)) {
    if (verdict === 'noticed' || verdict === 'no_verdict') sites.set(site, true);
    else if (verdict !== 'unreached') sites.set(site, sites.get(site) ?? false);
  }
  return [...sites].filter(([site, isSeen]) => !isSeen && /^[A-Z]+ \//.test(site)).map(([site]) => site);
}

function lookedAtLines(report: MutateReport): string[] {
  const sites = neverLookedAt(report);
  return sites.length === 0 ? [] : [`Called, but the answers are never checked: ${sites.join(', ')}.`];
}

function brittleLines(report: MutateReport): string[] {
  const brittle = brittleOf(report);
  const names = [...new Set(brittle.map(({ liberty }) => liberty))];
  return names.slice(0, 4).map((liberty) => {
    const units = brittle.filter((each) => each.liberty === liberty).map(({ unit }) => unit);
    return `Brittle: ${units.slice(0, MOST_NAMES).join(', ')} fails where ${libertyInWords(liberty)} (${liberty}).`;
  });
}

function unreachedLines(report: MutateReport): string[] {
  const none = untriedOf(report, 'no such road');
  const lines = LIE_FAMILIES.flatMap((family) => {
    const own = none.filter((name) => lieRow(name)?.family === family);
    if (own.length === 0) return [];
    const shown = own.slice(0, MOST_UNREACHED).join(', ');
    const others = own.length > MOST_UNREACHED ? ` and ${own.length - MOST_UNREACHED} more` : '';
    return [`  ${family}: ${shown}${others}`];
  });
  return lines.length === 0 ? [] : [NOT_MET, ...lines];
}

/** Survivors for which there was no time to run them once more, with no other lie. */
function notAloneLines(report: MutateReport): string[] {
  const isNotAlone = ({ rows }: LieAtSite) => rows.some(({ output }) => output === NOT_RUN_ALONE);
  const count = survivorsOf(report).filter(isNotAlone).length;
  if (count === 0) return [];
  const what = count === 1 ? '1 survivor was' : `${count} survivors were`;
  return [
    `The time of --budget was up: ${what} not run once more, alone, to be certain. Give a longer --budget, or 0.`,
  ];
}

/** What there was no time for. */
function leftLines(report: MutateReport): string[] {
  const left = untriedOf(report, 'left (budget)');
  if (left.length === 0) return [];
  const liberties = left.filter((name) => (LIBERTIES as readonly string[]).includes(name)).length;
  const counts = [
    ...(left.length > liberties ? [counted(left.length - liberties, 'lie')] : []),
    ...(liberties > 0 ? [`${liberties} ${liberties === 1 ? 'liberty' : 'liberties'}`] : []),
  ];
  const were = left.length === 1 ? 'was' : 'were';
  return [
    `The time of --budget was up: ${counts.join(' and ')} ${were} not tried. A longer one tries more, --budget 0 all.`,
  ];
}

/** One line of numbers by family, and no total. */
export function numbersLine({ families, liberties }: MutateReport): string {
  const counts = Object.entries(families).map(([family, { told, noticed }]) => `${family} ${noticed} of ${told}`);
  const tolerated = liberties.filter((each) => each.tolerated).length;
  const last = liberties.length === 0 ? [] : [`liberties ${tolerated} of ${liberties.length} tolerated`];
  return [...counts, ...last].join(' · ') || 'no lie reached a test';
}

function inTime(seconds: number): string {
  const whole = Math.round(seconds);
  return whole < 100 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

/** An assertion is there to be copied. */
function cut(line: string, most: number): string {
  return line.length > most && !line.startsWith(ASSERTION) ? `${line.slice(0, most - 1)}…` : line;
}
