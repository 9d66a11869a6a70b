import { counted } from '../../base/text.ts';
import { LIBERTIES, LIE_FAMILIES, libertyInWords, lieInWords, lieRow } from '../../control/lies/lie-table.ts';
import { listParts, part, type ReportPart, tableParts } from '../../control/orders/report-file.ts';
import { pairTrails, trailOf } from '../app/show-run.ts';
import { quotedForShell } from '../app/token.ts';
import type { Case, Item, Printable } from '../print-report.ts';
import type { RequestRow } from '../runner/run-record.ts';
import type { BaselineRuns } from './baseline-runs.ts';
import { NOT_RUN_ALONE, type Row } from './judge-attempt.ts';
import {
  brittleOf,
  bySite,
  type LieAtSite,
  type MutateReport,
  placeOf,
  survivingUnits,
  survivorsOf,
  untriedOf,
} from './mutate-report.ts';

/** What a report does not say and its page shows: the runs of survivors, and the baseline run. */
export interface Shown {
  survivors: readonly Row[];
  baselineRuns: BaselineRuns | undefined;
}

/** Which survivors fail a gate: with a baseline those that it neither has nor accepts, else all. */
type Breaks = (site: LieAtSite) => boolean;

const MADE_NO_DIFFERENCE = 'made no difference to anything here: --report FILE.html lists them.';
const AGAIN = 'Add the assertion, then re-check that lie alone with --lie NAME; --trace FILE shows the run.';
const DEAD = 'With the service dead (it answers 500 to every request)';
const NOT_MET = 'Not exercised by any test, and not tried (`svc-emulator lies --explain NAME` says what a lie is):';
const MOST_NAMES = 3;
const MOST_DEAD = 5;
const MOST_UNREACHED = 6;

/** What sees a survivor: a proven assertion where there is one, else a sentence. */
export function toSee({ rows, lie }: LieAtSite): string {
  return rows.find(({ assertion }) => assertion !== undefined)?.assertion ?? lieRow(lie)?.sees ?? '';
}

function adviceOf(site: LieAtSite): string {
  const sees = toSee(site);
  if (site.rows.every(({ assertion }) => assertion === undefined)) return `In the first test above: ${sees}`;
  const needs = /\baccount\b/.test(sees) ? ', which needs the fixture account' : '';
  return `Add this assertion to the first test above${needs}: ${sees}`;
}

/** A lie that no test caught: the tests that passed under it, and the assertion that catches it. */
export function survivorItem(site: LieAtSite, report: MutateReport, shown?: Shown): Item {
  const { key, lie, field, family, harm } = site;
  const row = lieRow(lie);
  const proven = site.rows.filter(({ verdict, assertion }) => verdict === 'survived' && assertion !== undefined);
  const units = [...new Set([...proven.slice(0, 1).map(({ unit }) => unit), ...survivingUnits(site)])];
  const places = units.slice(0, MOST_NAMES).map((unit) => placeOf(unit, report.units));
  const left = units.length > MOST_NAMES ? ` · ${units.length - MOST_NAMES} more` : '';
  const words = lieInWords(lie, field);
  return {
    token: key,
    kind: 'survivor',
    title: words,
    heading: `Not caught: ${words}`,
    note: `${lie}, ${site.site}${harm ? '; your app did something else than usual' : ''}`,
    happened: [`Passed under it: ${places.join(' · ')}${left}`, ...(row?.harm ? [row.harm] : [])],
    advice: adviceOf(site),
    again: `npx svc-emulator mutate --lie ${quotedForShell(key)} --trace lie.html -- ${report.command}`,
    tests: units.map((name) => ({ ...report.units.find((unit) => unit.name === name), name })),
    isWarning: !harm,
    rule: { id: lie, text: `Not caught: ${lieInWords(lie)}.`, harm: row?.harm, help: `To catch it: ${row?.sees}.` },
    badge: harm ? 'with harm' : family,
    marks: [key, (row?.rule ?? []).join(' ')].filter(Boolean),
    details: sideBySide(site, shown),
  };
}

/** What a measurement has come to, for all formats; at most 40 lines in a terminal. */
export function printableMutate(
  report: MutateReport,
  {
    shown,
    breaks = () => true,
    notes = [],
  }: { shown?: Shown | undefined; breaks?: Breaks; notes?: readonly string[] } = {},
): Printable {
  const { version, command, exit, error, measured } = report;
  const survivors = survivorsOf(report);
  const items = mostShared(survivors).map((site) => survivorItem(site, report, shown));
  return {
    of: 'mutate',
    version,
    command,
    exit,
    error,
    seconds: measured.seconds,
    title: survivors.length === 0 ? 'no lie was missed' : `${counted(survivors.length, 'lie')} not caught`,
    sum: `${Object.keys(report.families).length > 0 ? 'Caught, of the lies that reached a test: ' : ''}${numbersLine(report)}`,
    head: [measuredLine(report), ...controlLines(report)],
    sections: [{ title: 'Not caught', items }],
    notes: [
      ...answerLines(report),
      ...lookedAtLines(report),
      ...brittleLines(report),
      ...unreachedLines(report),
      ...leftLines(report),
      ...notAloneLines(report),
      ...notes,
    ],
    bounds: { lines: 40, happened: 1, isGrouped: true },
    cases: bySite(report.lies).map((site) => caseOf(site, { report, breaks })),
    parts: partsOf(report),
  };
}

/** Survivors with the assertion that most of them share first. */
function mostShared(survivors: readonly LieAtSite[]): LieAtSite[] {
  const counts = new Map<string, number>();
  const proven = survivors.flatMap(({ rows }) => rows.flatMap(({ assertion = [] }) => assertion));
  for (const each of proven) counts.set(each, (counts.get(each) ?? 0) + 1);
  const countOf = ({ assertion = '' }: LieAtSite['rows'][number]) => counts.get(assertion) ?? 0;
  return survivors.map((site) => ({ ...site, rows: site.rows.toSorted((a, b) => countOf(b) - countOf(a)) }));
}

function caseOf(site: LieAtSite, { report, breaks }: { report: MutateReport; breaks: Breaks }): Case {
  const { key: name, family: classname, verdict, rows } = site;
  if (verdict === 'survived' && breaks(site)) return { classname, name, items: [survivorItem(site, report)] };
  const isRemembered = rows.every(({ remembered }) => remembered);
  if (verdict === 'noticed' && !isRemembered) return { classname, name };
  return { classname, name, skipped: isRemembered ? `remembered: ${verdict}` : verdict };
}

function measuredLine({ measured }: MutateReport): string {
  const { planned, told, runs, seconds } = measured;
  const lies = `${told} of ${counted(planned, 'planned lie')} reached a test`;
  return `Your tests ran ${counted(runs, 'time')} in ${inTime(seconds)}, while the service lied in one small way at a time: ${lies}.`;
}

function controlLines({ control: { passed_dead: passed }, units }: MutateReport): string[] {
  if (passed.length === 0) return [`${DEAD} every test that calls the service fails, as it should.`];
  const lines = [
    `${DEAD} ${passed.length} of ${counted(units.length, 'test')} that call the service still pass:`,
    ...passed.slice(0, MOST_DEAD),
    ...(passed.length > MOST_DEAD ? [`and ${passed.length - MOST_DEAD} more`] : []),
  ];
  return [lines.join('\n  ')];
}

/** What there is to say of survivors, and of what nothing reads. */
function answerLines(report: MutateReport): string[] {
  const sites = bySite(report.lies);
  const unread = sites.filter(({ verdict }) => verdict === 'unread').length;
  const note = unread === 0 ? [] : [`${counted(unread, 'change')} of content or form ${MADE_NO_DIFFERENCE}`];
  if (sites.some(({ verdict }) => verdict === 'survived')) return [AGAIN, ...note];
  const { planned, told } = report.measured;
  if (planned === 0) return note;
  return [told === 0 ? 'No lie reached a test.' : 'Your tests caught every lie they were exposed to.', ...note];
}

/** Operations that were called and all of whose lies survived. */
function lookedAtLines(report: MutateReport): string[] {
  const seen = new Map<string, boolean>();
  for (const { site, verdict } of bySite(report.lies)) {
    if (verdict === 'noticed' || verdict === 'no_verdict') seen.set(site, true);
    else if (verdict !== 'unreached') seen.set(site, seen.get(site) ?? false);
  }
  const sites = [...seen].filter(([site, isSeen]) => !isSeen && /^[A-Z]+ \//.test(site)).map(([site]) => site);
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
    const others = own.length > MOST_UNREACHED ? ` and ${own.length - MOST_UNREACHED} more` : '';
    return own.length === 0 ? [] : [`${family}: ${own.slice(0, MOST_UNREACHED).join(', ')}${others}`];
  });
  return lines.length === 0 ? [] : [[NOT_MET, ...lines].join('\n  ')];
}

const TIME_UP = 'The time of --budget was up:';

/** Survivors for which there was no time to run them once more, with no other lie. */
function notAloneLines(report: MutateReport): string[] {
  const count = survivorsOf(report).filter(({ rows }) => rows.some(({ output }) => output === NOT_RUN_ALONE)).length;
  const were = count === 1 ? 'was' : 'were';
  const what = `${counted(count, 'survivor')} ${were} not run once more, alone, to be certain`;
  return count === 0 ? [] : [`${TIME_UP} ${what}. Give a longer --budget, or 0.`];
}

/** What there was no time for. */
function leftLines(report: MutateReport): string[] {
  const left = untriedOf(report, 'left (budget)');
  const liberties = left.filter((name) => LIBERTIES.some((liberty) => liberty === name)).length;
  const lies = left.length - liberties;
  const counts = [
    ...(lies > 0 ? [counted(lies, 'lie')] : []),
    ...(liberties > 0 ? [`${liberties} ${liberties === 1 ? 'liberty' : 'liberties'}`] : []),
  ];
  const what = `${counts.join(' and ')} ${left.length === 1 ? 'was' : 'were'} not tried`;
  return left.length === 0 ? [] : [`${TIME_UP} ${what}. A longer one tries more, --budget 0 all.`];
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

const MOST_TOLD = 2;
const MOST_BODY = 4000;
const SIDES = {
  label: 'Under the lie, Baseline run',
  heads: [
    ['Under the lie', 'all tests passed'],
    ['Baseline run', 'the same test'],
  ],
} as const;

/** What the test and the service did in the baseline run and under the lie. */
function sideBySide({ key }: LieAtSite, shown: Shown | undefined): ReportPart[][] {
  const row = shown?.survivors.find(({ pair }) => pair.key === key);
  const baselineRuns = shown?.baselineRuns;
  const [lied, plain] = [row?.run?.records.get(row.unit.unit), row && baselineRuns?.run.records.get(row.unit.unit)];
  if (!row?.run || !baselineRuns || !lied || !plain) return [];
  const pairs = pairTrails(
    trailOf({ record: lied, began: row.run.began }),
    trailOf({ record: plain, began: baselineRuns.run.began }),
  );
  const changed = lied.requests.filter((each) => each.truth).slice(0, MOST_TOLD);
  return [[{ blocks: [{ kind: 'pairs', ...SIDES, pairs }] }], ...changed.map(besideTruth)];
}

function besideTruth({ method, path, status, answer, truth }: RequestRow): ReportPart[] {
  const lines = (title: string, code: number | string, body: string | null | undefined) =>
    part(title, { kind: 'lines', text: `${code}\n${(body ?? '').slice(0, MOST_BODY)}` });
  return [
    lines(`Under the lie: ${method} ${path}`, status, answer),
    lines('Without it', truth?.status ?? '', truth?.body),
  ];
}

/** What is said of the whole, below the articles. */
function partsOf({ control, families, lies, unreached, seed }: MutateReport): ReportPart[] {
  const counts = Object.entries(families).map(([name, { told, noticed }]) => [name, String(told), String(noticed)]);
  const others = bySite(lies).filter(({ verdict }) => verdict !== 'survived');
  const rows = others.map(({ key, verdict, rows: [first] }) => {
    return [key, `${verdict}${first?.by ? ` (${first.by})` : ''}`, first?.unit ?? ''];
  });
  const dead = `Pass with the service dead: ${counted(control.requests, 'request')} answered 500 with nothing in it`;
  const left = unreached.map(({ lie, why }) => [lie, why]);
  return [
    ...listParts(dead, control.passed_dead),
    ...tableParts('By family', ['Family', 'Reached a test', 'Caught'], counts),
    ...tableParts(`All others, of seed ${seed}`, ['Lie', 'Verdict', 'Test'], rows),
    ...tableParts('Not tried', ['Lie', 'Why'], left),
  ];
}
