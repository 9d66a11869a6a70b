import { counted } from '../base/text.ts';
import { titleOf } from './app/schedule.ts';
import { type Again, quotedForShell, replayLine } from './app/token.ts';
import { type CheckBaseline, excuseOf, idleAccepted } from './check-baseline.ts';
import { checkFindings, type FindingParts, leftOf, liesOf, shareOf, triedOf } from './check-findings.ts';
import type { CheckFinding, CheckReport, PartName, PartReports, Statement } from './check-report.ts';
import { TOO_LITTLE } from './runner/runner.ts';
import { isAmong, STATEMENTS, type StatementRow } from './statements.ts';
import { brokenShares, idleLies } from './tests/gates.ts';
import { bySite, isMeasured, untriedOf } from './tests/mutate-report.ts';
import { numbersLine } from './tests/print-mutate.ts';

/** What a report says beside its parts. */
export type CheckHead = Pick<CheckReport, 'version' | 'date' | 'commit' | 'lock' | 'command' | 'seed'>;

/** What a report is held to. */
export interface CheckGates {
  require: readonly number[];
  min: ReadonlyMap<string, number>;
  maxBrittle: number;
  allowed?: readonly string[];
  baseline?: CheckBaseline;
  /** This run writes it. */
  isWritten?: boolean;
}

export interface CheckParts {
  head: CheckHead;
  reports: PartReports;
  /** Of the parts that were asked for and could not go on: why. */
  faults: Partial<Record<PartName, string>>;
  asked: readonly PartName[];
  gates: CheckGates;
  again?: FindingParts['again'];
  seconds: number;
  /** `--only` or `--skip` leave something out. */
  isNarrowed: boolean;
  hasAssert?: boolean;
  hasProbe?: boolean;
  hasApp?: boolean;
  /** One finding alone, or a shard: there may be nothing to try. */
  isPartial?: boolean;
  /** What ended it before its end. */
  error?: CheckReport['error'];
}

/** A report with what keeps it from being passed, a line each. */
export interface JudgedCheck {
  report: CheckReport;
  complaints: string[];
}

/** Judges what the parts have come to. */
export function makeCheckReport(parts: CheckParts): JudgedCheck {
  const { head, reports, gates, error, faults } = parts;
  const { maxBrittle, allowed = [], baseline } = gates;
  const findings = checkFindings(reports, { again: parts.again, spend: baseline?.spend, maxBrittle, allowed });
  const today = head.date.slice(0, 10);
  const excuses: Excuses = new Map(
    findings.map((each) => [each, baseline && excuseOf(each, { baseline, reports, today })]),
  );
  const statements = STATEMENTS.map((row) => stateOf(row, parts, excuses));
  const complaints = error ? endLines(error) : brokenBy(statements, { parts, findings, today });
  const measured = { ...countOf(reports), seconds: Math.round(parts.seconds * 10) / 10 };
  const isBroken = complaints.length > 0 || [...excuses.values()].includes(undefined);
  const isNothing = measured.planned === 0 && parts.isPartial !== true;
  const tooLittle = measured.run * 2 < measured.planned || Object.keys(reports).length === 0 || isNothing;
  const [fault] = Object.values(faults).filter((each) => each !== LEFT_OUT);
  const short = tooLittle ? { exit_code: TOO_LITTLE, message: shortText(measured, fault) } : undefined;
  const end = error ?? (isBroken ? undefined : short);
  const exit = end?.exit_code ?? Number(isBroken);
  const report = { ...head, measured, statements, findings, parts: reports, exit, ...(end && { error: end }) };
  return { report, complaints };
}

export const INTERRUPTED = 130;
/** Wrong use or a command that fails by itself, and one that there is not. */
export const FAILED_BY_ITSELF = [2, 127];

function endLines({ exit_code: code }: NonNullable<CheckReport['error']>): string[] {
  return code === INTERRUPTED ? ['The run was interrupted: this is what was found until then.'] : [];
}

/** Why a part was not run that has nothing to do. */
export const LEFT_OUT = 'left out by --only';

const NOT_PREPARED =
  'Nothing was measured: there was nothing to try, or the time was over before the baseline runs were. Give a longer --budget, or run fewer tests.';

function shortText({ planned, run }: { planned: number; run: number }, fault: string | undefined): string {
  if (planned === 0) return fault ?? NOT_PREPARED;
  return `Only ${run} of ${planned} planned scenarios and lies were tried: give a longer --budget.`;
}

/** Kinds of scenarios, and lies at their sites; a part that counts nothing of its own counts as one. */
function countOf({ app, tests, spend, receiver, service }: PartReports): { planned: number; run: number } {
  const kinds = Object.keys(app?.planned_by_deviation ?? {});
  const tried = kinds.filter((name) => (app?.by_deviation[name]?.run ?? 0) > 0);
  const others = [spend, receiver, service].filter((each) => each !== undefined).length;
  return {
    planned: kinds.length + (tests?.measured.planned ?? 0) + others,
    run: tried.length + (tests?.measured.told ?? 0) + others,
  };
}

/** Why findings do not count; undefined for those that do. */
type Excuses = ReadonlyMap<CheckFinding, string | undefined>;

/** What is known of one statement. */
function stateOf(row: StatementRow, parts: CheckParts, excuses: Excuses): Statement {
  const { id, text } = row;
  const own = [...excuses].filter(([{ statement }]) => statement === id);
  const excused = own.flatMap(([, why]) => why ?? []);
  if (own.length > 0) {
    const evidence = own.map(([{ token }]) => token);
    return { id, text, state: 'broken', evidence, ...(excused[0] && { why: `${excused.length} ${excused[0]}` }) };
  }
  const evidence = evidenceOf(row, parts);
  const suspect = suspectOf(row, parts) ?? unnoticedOf(row, parts);
  if (suspect) return { id, text, state: 'not_looked_at', evidence, ...suspect };
  if (isUntried(row, parts)) return { id, text, evidence, ...unseen(row, parts) };
  if (evidence.length > 0) return { id, text, state: 'held', evidence };
  return { id, text, evidence, ...unseen(row, parts) };
}

/** How the reason begins where nothing is known for want of time. */
export const FAILED_ONCE = 'failed once';

/** What failed once, and passed later or could not be run again in time: it is no finding, and the statement is not held. */
function suspectOf({ id }: StatementRow, parts: CheckParts): Missing | undefined {
  const { unconfirmed = [], unstable = [] } = parts.reports.app ?? {};
  const isOwn = ({ statement }: (typeof unconfirmed)[number]) => statement === id;
  const open = unconfirmed.find(isOwn);
  const suspect = open ?? unstable.find(isOwn);
  if (!suspect) return undefined;
  const then = open ? `${overIn(parts)} before it was confirmed` : 'passed when it was run again';
  const why = `${FAILED_ONCE}, and ${then}: ${titleOf(suspect.schedule)}`;
  return { why, next: replayLine(suspect.token, { ...againOf(parts), isCheck: true }) };
}

/** Statements that the tests of an app alone can judge, where neither its state nor a command of its own does. */
const OF_TESTS = [2, 9, 10];

/** What broke nothing says nothing where no test looks: its lies reached tests, and none was caught. */
function unnoticedOf({ id, lies }: StatementRow, parts: CheckParts): Missing | undefined {
  const { reports, hasAssert, hasProbe } = parts;
  const own = liesOf(reports.tests, lies);
  const isJudged = hasAssert || hasProbe || !OF_TESTS.includes(id);
  if (isJudged || own.length === 0 || own.some(({ verdict }) => verdict === 'noticed')) return undefined;
  const left = leftOf(reports.tests, lies);
  const why =
    left === 0
      ? `no test looks at it: ${counted(own.length, 'lie')} of it reached your tests, and none was caught`
      : `${overIn(parts)} when ${own.length} of ${counted(own.length + left, 'lie')} of it had been tried, and none caught`;
  return { why, next: commandOf(`tests --only ${lies.join(',')}${left === 0 ? '' : ' --budget 0'}`, parts) };
}

/** Why something was not tried, or not to its end. */
function overIn({ error }: CheckParts): string {
  if (error && FAILED_BY_ITSELF.includes(error.exit_code)) return 'the command failed by itself';
  return error?.exit_code === INTERRUPTED ? 'the run was interrupted' : 'the time was over';
}

/** How the command is run again; of a story that is a function, as a command of its name. */
function againOf({ again, head }: CheckParts): Again {
  return again ?? { program: ['npx', 'svc-emulator'], words: ['--', head.command] };
}

/** What was tried of a statement and broke nothing. */
function evidenceOf(row: StatementRow, parts: CheckParts): string[] {
  const { app, tests } = parts.reports;
  const tried = app ? triedOf(app, row.deviations) : [];
  const noticed = liesOf(tests, row.lies).filter(({ verdict }) => verdict === 'noticed');
  const caught = [...new Set(noticed.map(({ lie }) => `${lie}: caught`))];
  return [...tried, ...(OF_PARTS[row.id]?.(parts) ?? []), ...caught];
}

/** Whether it has scenarios of which none has passed: a lie that a test has caught says nothing of the app. */
function isUntried({ deviations }: StatementRow, { reports: { app } }: CheckParts): boolean {
  return app !== undefined && shareOf(app, deviations).planned > 0 && triedOf(app, deviations).length === 0;
}

/** Evidence that is of one statement alone, by its number. */
const OF_PARTS: Readonly<Record<number, (parts: CheckParts) => string[]>> = {
  5({ reports: { receiver } }) {
    const refused = (receiver?.checks ?? []).filter(({ verdict, title }) => verdict === 'pass' && isForgery(title));
    return refused.length > 0 ? [`receiver: ${refused.length} forgeries refused`] : [];
  },
  11({ hasAssert, reports: { app } }) {
    const runs = app?.schedules_run ?? 0;
    return hasAssert && runs > 0 ? [`--assert: after ${runs} scenarios`] : [];
  },
  12({ reports: { spend }, gates: { baseline } }) {
    return spend && baseline?.spend ? [`${spend.credits} credits, as the baseline has it`] : [];
  },
  13({ reports: { tests } }) {
    return tests && bySite(tests.lies).some(isMeasured) ? [numbersLine(tests)] : [];
  },
  14({ reports: { tests } }) {
    const all = tests?.liberties ?? [];
    const tolerated = all.filter((each) => each.tolerated).length;
    return tolerated > 0 ? [`liberties: ${tolerated} of ${all.length} tolerated`] : [];
  },
  15({ reports: { service } }) {
    return service?.exit === 0 ? [`${service.results.length} results against ${service.against}`] : [];
  },
};

function isForgery(title: string): boolean {
  return title.startsWith('refuses');
}

/** Why nothing is known of a statement, and what would look: the words of a command. */
interface Missing {
  why: string;
  next: string;
}

function unseen(row: StatementRow, parts: CheckParts): Pick<Statement, 'state' | 'why' | 'next'> {
  const missing = unasked(row, parts) ?? fromPart(row, parts) ?? ofPlan(row, parts);
  if (!missing) return { state: 'does_not_apply', why: `the tests make nothing of it: it needs ${row.needs}` };
  return { state: 'not_looked_at', ...missing, next: commandOf(missing.next, parts) };
}

/** The whole command of a check with these words. */
function commandOf(check: string, parts: CheckParts): string {
  const { program, words } = againOf(parts);
  // A part that needs no command was run without one.
  const behind = words.at(-1) === '--' ? [...words, 'COMMAND'] : words;
  const [start, rest] = [program, behind].map((each) => each.map(quotedForShell).join(' '));
  return `${start} check ${check} ${rest}`;
}

const WRITTEN_NOW: Missing = { why: 'the baseline is of this run: the next one is compared with it', next: 'spend' };

/** Parts that alone look at a statement, by its number. */
const ALONE: Readonly<Record<number, readonly [PartName]>> = { 12: ['spend'], 13: ['tests'], 15: ['service'] };

/** The parts that look at a statement. */
function partsOf({ id, deviations }: StatementRow): readonly [PartName, ...PartName[]] {
  return ALONE[id] ?? (deviations.length > 0 ? ['app'] : ['app', 'tests']);
}

/** Parts were named, and none of those that look at what needs an option of its own. */
function unasked(row: StatementRow, { asked }: CheckParts): Missing | undefined {
  const isUsual = (['app', 'tests', 'spend'] as const).every((part) => asked.includes(part));
  const own = partsOf(row);
  if (!row.missing || isUsual || own.some((part) => asked.includes(part))) return undefined;
  return { why: `${own[0]} was not asked for`, next: row.missing.next };
}

/** An option that was not given, or a part that was not run to its end. */
function fromPart(row: StatementRow, parts: CheckParts): Missing | undefined {
  const { id, missing } = row;
  const { reports, faults, asked: named, hasApp, gates } = parts;
  const asked = partsOf(row);
  // The books are compared by both parts: neither's fault is the reason.
  const fault = faults[asked[0]];
  if (id === 12 && gates.isWritten && reports.spend) return WRITTEN_NOW;
  if (missing && !(id === 8 && hasApp)) return { ...missing, ...(fault !== undefined && id !== 11 && { why: fault }) };
  const next = asked.find((part) => reports[part] === undefined);
  if (next === undefined) return undefined;
  const isNamed = named.includes(next);
  const why = isNamed ? `${overIn(parts)} before its baseline runs were made` : `${next} was not asked for`;
  return { why: faults[next] ?? why, next };
}

/** What there was to try, and no time, or what was left out. */
function ofPlan({ id, deviations }: StatementRow, parts: CheckParts): Missing | undefined {
  const { isNarrowed, error } = parts;
  const { app, tests } = parts.reports;
  const before = `${overIn(parts)} before one was tried`;
  if (id === 13) {
    const isLate = error !== undefined || leftOf(tests) > 0;
    return isLate ? { why: before, next: 'tests --budget 0' } : { why: 'no lie reached a test', next: 'tests --all' };
  }
  const next = `app --only ${deviations.join(',')}`;
  const has = (counts: object = {}) => Object.keys(counts).some((name) => isAmong(name, deviations));
  if (has(app?.by_deviation)) return { why: 'what was tried broke another statement', next };
  if (has(app?.planned_by_deviation)) {
    return { why: before, next: `${next} --budget 0` };
  }
  return isNarrowed ? { why: 'left out by --only or --skip', next } : undefined;
}

/** Whether each deviation was tried wherever it can be, and what failed was confirmed. */
function hasTriedAll(app: PartReports['app']): boolean {
  if (!app || app.unconfirmed.length > 0) return false;
  const planned = Object.entries(app.planned_by_deviation ?? {});
  return planned.every(([name, count]) => (app.by_deviation[name]?.run ?? 0) >= count);
}

/** A line for each gate that is not passed. */
function brokenBy(
  statements: readonly Statement[],
  { parts, findings, today }: { parts: CheckParts; findings: readonly CheckFinding[]; today: string },
): string[] {
  const { gates, isNarrowed } = parts;
  const { tests, app } = parts.reports;
  const required = statements.filter(({ id, state }) => gates.require.includes(id) && state !== 'held');
  const shares = tests
    ? brokenShares(tests, { min: gates.min, baseline: gates.baseline?.tests, today })
    : [...gates.min].map(([family, least]) => `--min ${family}=${least}: tests was not run.`);
  const isWhole = !isNarrowed && tests !== undefined && hasTriedAll(app);
  const areLiesWhole = isWhole && untriedOf(tests, 'left (budget)').length === 0;
  return [
    ...required.map(({ id, text, state }) => `--require ${id}: ${text}: ${state.replaceAll('_', ' ')}.`),
    ...shares,
    ...(isWhole && gates.baseline ? idleAccepted(gates.baseline, { findings, today }) : []),
    ...(areLiesWhole && gates.baseline ? idleLies(tests, gates.baseline.tests, today) : []),
  ];
}
