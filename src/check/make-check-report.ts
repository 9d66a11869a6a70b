import { titleOf } from './app/schedule.ts';
import { type CheckBaseline, excuseOf, idleAccepted } from './check-baseline.ts';
import { checkFindings, type FindingParts, statementOf, triedOf } from './check-findings.ts';
import type { CheckFinding, CheckReport, PartName, PartReports, Statement } from './check-report.ts';
import { TOO_LITTLE } from './runner/runner.ts';
import { isAmong, STATEMENTS, type StatementRow } from './statements.ts';
import { brokenGates } from './tests/gates.ts';
import { bySite, isMeasured } from './tests/mutate-report.ts';
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
  hasApp?: boolean;
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
  const excuse = (finding: CheckFinding) =>
    baseline && excuseOf(finding, { baseline, report: { parts: reports }, today });
  const statements = STATEMENTS.map((row) => stateOf(row, { parts, findings, excuse }));
  const complaints = error ? [] : brokenBy({ statements, findings, excuse, parts, today });
  const measured = { ...countOf(reports), seconds: Math.round(parts.seconds * 10) / 10 };
  const isCounting = findings.some((finding) => excuse(finding) === undefined);
  const tooLittle = measured.run * 2 < measured.planned || Object.keys(reports).length === 0;
  const [fault] = Object.values(faults).filter((each) => each !== LEFT_OUT);
  const short = tooLittle ? { exit_code: TOO_LITTLE, message: shortText(measured, fault) } : undefined;
  const end = error ?? (isCounting || complaints.length > 0 ? undefined : short);
  const exit = end?.exit_code ?? (isCounting || complaints.length > 0 ? 1 : 0);
  const report = { ...head, measured, statements, findings, parts: reports, exit, ...(end && { error: end }) };
  return { report, complaints };
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

interface Judging {
  parts: CheckParts;
  findings: readonly CheckFinding[];
  excuse(finding: CheckFinding): string | undefined;
}

/** What is known of one statement. */
function stateOf(row: StatementRow, { parts, findings, excuse }: Judging): Statement {
  const { id, text } = row;
  const own = findings.filter(({ statement }) => statement === id);
  const counting = own.filter((finding) => excuse(finding) === undefined);
  const [first] = own;
  const why =
    first && counting.length < own.length ? `${own.length - counting.length} ${excuse(first) ?? 'excused'}` : '';
  if (own.length > 0) {
    const evidence = own.map(({ token }) => token);
    return { id, text, state: 'broken', evidence, ...(why !== '' && { why }) };
  }
  const evidence = evidenceOf(row, parts);
  const suspect = suspectOf(row, parts);
  if (suspect) return { id, text, state: 'not_looked_at', evidence, ...suspect };
  if (evidence.length > 0) return { id, text, state: 'held', evidence };
  return { id, text, evidence, ...unseen(row, parts) };
}

/** How the reason begins where nothing is known for want of time. */
export const FAILED_ONCE = 'failed once';

/** What failed once, and could not be run again in time: it is no finding, and the statement is not held. */
function suspectOf({ id }: StatementRow, { reports, head }: CheckParts): Pick<Statement, 'why' | 'next'> | undefined {
  const suspect = reports.app?.unconfirmed.find((each) => statementOf(each) === id);
  if (!suspect) return undefined;
  const why = `${FAILED_ONCE}, and there was no time to confirm it: ${titleOf(suspect.schedule)}`;
  return { why, next: `svc-emulator check --again ${suspect.token} -- ${head.command}` };
}

/** What was tried of a statement and broke nothing. */
function evidenceOf(row: StatementRow, parts: CheckParts): string[] {
  const { app, tests } = parts.reports;
  const tried = app ? triedOf(app, row.deviations) : [];
  const noticed = bySite(tests?.lies ?? []).filter(
    ({ verdict, lie }) => verdict === 'noticed' && isAmong(lie, row.lies),
  );
  const caught = [...new Set(noticed.map(({ lie }) => `${lie}: caught`))];
  return [...tried, ...(OF_PARTS[row.id]?.(parts) ?? []), ...caught];
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

/** What looks at a statement that needs an option of its own, and why nothing did. */
const NEEDS_OPTION: Readonly<Record<number, readonly [why: string, next: string]>> = {
  8: ['no app is started beside the tests', 'app --start COMMAND --only kill'],
  11: ['nothing compared the books with the ledger', 'app tests --assert COMMAND'],
  12: ['there is no baseline of what the run costs', 'spend --update-baseline'],
  15: ['no address was given', 'service --against URL --key-env NAME'],
};

/** Why nothing is known of a statement, and the command that would look. */
function unseen(row: StatementRow, parts: CheckParts): Pick<Statement, 'state' | 'why' | 'next'> {
  const { head, reports, isNarrowed } = parts;
  const [why, next] = fromPart(row, parts) ?? ofPlan(row, reports) ?? (isNarrowed ? leftOut(row) : []);
  if (why !== undefined) return { state: 'not_looked_at', why, next: `svc-emulator check ${next} -- ${head.command}` };
  return { state: 'does_not_apply', why: `the tests make nothing of it: it needs ${row.needs || 'more traffic'}` };
}

type Missing = readonly [why: string, next: string];

function leftOut({ deviations }: StatementRow): Missing {
  return ['left out by --only or --skip', `app --only ${deviations.join(',')}`];
}

/** An option that was not given, or a part that was not run to its end. */
function fromPart(
  { id, deviations }: StatementRow,
  { reports, faults, asked: named, hasApp }: CheckParts,
): Missing | undefined {
  const option = NEEDS_OPTION[id];
  const fault = faults[id === 15 ? 'service' : id === 12 ? 'spend' : 'app'];
  if (option && !(id === 8 && hasApp)) return [id === 11 ? option[0] : (fault ?? option[0]), option[1]];
  const asked: PartName[] = id === 13 ? ['tests'] : deviations.length > 0 ? ['app'] : ['app', 'tests'];
  const missing = asked.find((part) => reports[part] === undefined);
  if (missing === undefined) return undefined;
  const isNamed = named.includes(missing);
  const why = isNamed ? 'the time was over before its baseline runs were made' : `${missing} was not asked for`;
  return [faults[missing] ?? why, missing];
}

/** What there was to try, and no time. */
function ofPlan({ id, deviations }: StatementRow, { app }: PartReports): Missing | undefined {
  if (id === 13) return ['no lie reached a test', 'tests --all'];
  const isOwn = (name: string) => isAmong(name, deviations);
  if (Object.keys(app?.by_deviation ?? {}).some(isOwn))
    return ['what was tried broke another statement', `app --only ${deviations.join(',')}`];
  const planned = Object.keys(app?.planned_by_deviation ?? {}).some(isOwn);
  return planned
    ? ['the time was over before one was tried', `app --only ${deviations.join(',')} --budget 0`]
    : undefined;
}

/** Whether each deviation was tried wherever it can be, and what failed was confirmed. */
function hasTriedAll(app: PartReports['app']): boolean {
  if (!app || app.unconfirmed.length > 0) return false;
  const planned = Object.entries(app.planned_by_deviation ?? {});
  return planned.every(([name, count]) => (app.by_deviation[name]?.run ?? 0) >= count);
}

interface Breaking extends Judging {
  statements: readonly Statement[];
  today: string;
}

/** A line for each gate that is not passed. */
function brokenBy({ statements, findings, parts, today }: Breaking): string[] {
  const { reports, gates, isNarrowed } = parts;
  const required = statements.filter(({ id, state }) => gates.require.includes(id) && state !== 'held');
  const shares = reports.tests
    ? brokenGates(reports.tests, { min: gates.min, today, isWhole: false })
    : [...gates.min].map(([family, least]) => `--min ${family}=${least}: tests was not run.`);
  const isWhole = !isNarrowed && reports.tests !== undefined && hasTriedAll(reports.app);
  return [
    ...required.map(({ id, text, state }) => `--require ${id}: ${text}: ${state.replaceAll('_', ' ')}.`),
    ...shares,
    ...(isWhole && gates.baseline ? idleAccepted(gates.baseline, { findings, today }) : []),
  ];
}
