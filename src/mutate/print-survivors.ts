import { LIE_FAMILIES, lieRow } from '../faults/lies/lie-table.ts';
import { counted } from '../log/log.ts';
import { libertyInWords, lieInWords } from './lie-words.ts';
import { bySite, type LieAtSite, survivorsOf } from './mutate-report.ts';
import type { MutateReport, ReportedUnit } from './report-schema.ts';

/** Lines of the whole answer. */
const MOST_LINES = 40;
const LINES_OF_ONE = 3;
const MOST_NAMES = 3;
const MOST_DEAD = 5;
const MOST_UNREACHED = 6;
const WIDTH = 160;

/** The answer for a reader, in at most 40 lines: what nobody would notice, and what would see it. */
export function printMutateReport(report: MutateReport): string {
  const head = [measuredLine(report), ...controlLines(report)];
  const tail = [
    ...lookedAtLines(report),
    ...brittleLines(report),
    ...unreachedLines(report),
    ...(report.error ? [report.error.message.split('\n')[0] ?? ''] : []),
    numbersLine(report),
  ];
  const room = MOST_LINES - head.length - tail.length;
  const lines = [...head, ...survivorLines(report, room), '', ...tail].map((line) => cut(line, WIDTH));
  return `${lines.join('\n')}\n`;
}

function measuredLine({ measured }: MutateReport): string {
  const { planned, told, runs, seconds } = measured;
  const lies = `${told} of ${counted(planned, 'planned lie')} ${planned === 1 ? 'was' : 'were'} told`;
  return `Your tests ran ${counted(runs, 'time')} in ${inTime(seconds)}, while the service lied in one small way at a time: ${lies}.`;
}

function controlLines({ control: { passed_dead: passed }, units }: MutateReport): string[] {
  if (passed.length === 0) return ['With the service dead every test that asks it fails, as it should.'];
  const others = passed.length > MOST_DEAD ? `, and ${passed.length - MOST_DEAD} more` : '';
  return [
    `With the service dead ${passed.length} of ${counted(units.length, 'test')} that ask it still pass:`,
    ...passed.slice(0, MOST_DEAD).map((name) => `  ${name}`),
    ...(others === '' ? [] : [`  ${others.slice(2)}`]),
  ];
}

/** Survivors, as many as there is room for. */
function survivorLines(report: MutateReport, room: number): string[] {
  const survivors = survivorsOf(report);
  const unread = bySite(report.lies).filter(({ verdict }) => verdict === 'unread').length;
  const note =
    unread === 0 ? [] : [`${counted(unread, 'change')} of content or form that nothing here reads: see the report.`];
  if (survivors.length === 0) {
    if (report.measured.planned === 0) return note;
    const line = report.measured.told === 0 ? 'No lie was told.' : 'Your tests noticed every lie that they can see.';
    return ['', line, ...note];
  }
  const most = Math.max(1, Math.floor((room - note.length - 4) / LINES_OF_ONE));
  const left = survivors.length - most;
  return [
    '',
    'Your tests would not notice if',
    ...survivors.slice(0, most).flatMap((each, at) => linesOf(each, at + 1, report)),
    ...(left > 0 ? [`  and ${left} more: --report FILE.html has all of them.`] : []),
    ...note,
  ];
}

function linesOf(each: LieAtSite, number: number, report: MutateReport): string[] {
  const { lie, field, site, harm, rows } = each;
  const harmed = harm ? '; your app did something else than usual' : '';
  const survived = rows.filter(({ verdict }) => verdict === 'survived');
  const assertion = survived.find((row) => row.assertion !== undefined)?.assertion;
  const sees = assertion?.split('\n').at(-1) ?? lieRow(lie)?.sees ?? '';
  return [
    `${String(number).padStart(3)}. ${lieInWords(lie, field)} (${lie}, ${site}${harmed})`,
    `     met by: ${metBy(
      survived.map(({ unit }) => unit),
      report.units,
    )}`,
    `     to see it: ${sees}`,
  ];
}

function metBy(names: readonly string[], units: readonly ReportedUnit[]): string {
  const shown = names.slice(0, MOST_NAMES).map((name) => placeOf(name, units));
  const left = names.length - shown.length;
  return `${shown.join(' · ')}${left > 0 ? ` · ${left} more` : ''}`;
}

function placeOf(name: string, units: readonly ReportedUnit[]): string {
  const unit = units.find((each) => each.name === name);
  if (unit?.file === undefined) return name;
  return `${name} (${unit.file}${unit.line === undefined ? '' : `:${unit.line}`})`;
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
  return sites.length === 0 ? [] : [`Called and never looked at: ${sites.join(', ')}.`];
}

function brittleLines({ liberties }: MutateReport): string[] {
  const brittle = liberties.filter(({ tolerated }) => !tolerated);
  if (brittle.length === 0) return [];
  const names = [...new Set(brittle.map(({ liberty }) => liberty))];
  return names.slice(0, 4).map((liberty) => {
    const units = brittle.filter((each) => each.liberty === liberty).map(({ unit }) => unit);
    return `Brittle: ${units.slice(0, MOST_NAMES).join(', ')} fails where ${libertyInWords(liberty)} (${liberty}).`;
  });
}

function unreachedLines({ unreached }: MutateReport): string[] {
  const none = unreached.filter(({ why }) => why === 'no such road').map(({ lie }) => lie);
  const left = unreached.filter(({ why }) => why === 'left (budget)');
  const lines = LIE_FAMILIES.flatMap((family) => {
    const own = none.filter((name) => lieRow(name)?.family === family);
    if (own.length === 0) return [];
    const shown = own.slice(0, MOST_UNREACHED).join(', ');
    const others = own.length > MOST_UNREACHED ? ` and ${own.length - MOST_UNREACHED} more` : '';
    return [`No test meets of ${family}: ${shown}${others}.`];
  });
  const first = none.find((name) => lieRow(name));
  return [
    ...lines,
    ...(first === undefined ? [] : [`\`svc-emulator lies --explain ${first}\` says what a lie changes, and where.`]),
    ...(left.length === 0 ? [] : [`Left for lack of budget: ${counted(left.length, 'lie')}; give a longer --budget.`]),
  ];
}

/** One line of numbers by family, and no total. */
export function numbersLine({ families, liberties }: MutateReport): string {
  const counts = Object.entries(families).map(([family, { told, noticed }]) => `${family} ${noticed} of ${told}`);
  const tolerated = liberties.filter((each) => each.tolerated).length;
  const last = liberties.length === 0 ? [] : [`liberties ${tolerated} of ${liberties.length} tolerated`];
  return [...counts, ...last].join(' · ') || 'nothing was told';
}

function inTime(seconds: number): string {
  const whole = Math.round(seconds);
  return whole < 100 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

function cut(line: string, most: number): string {
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}
