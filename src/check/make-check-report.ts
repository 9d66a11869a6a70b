import { type CheckBaseline, excuseOf, idleAccepted } from './check-baseline.ts';
import { checkFindings, type FindingParts, triedOf } from './check-findings.ts';
import type { CheckFinding, CheckReport, PartName, PartReports, Statement } from './check-report.ts';
import { isAmong, STATEMENTS, type StatementRow } from './statements.ts';
import { brokenGates } from './tests/gates.ts';
import { bySite, isTold } from './tests/mutate-report.ts';
import { numbersLine } from './tests/print-survivors.ts';

/** What a report says beside its parts. */
export type CheckHead = Pick<CheckReport, 'version' | 'date' | 'commit' | 'lock' | 'command' | 'seed'>;

/** What a report is held to. */
export interface CheckGates {
  require: readonly number[];
  min: ReadonlyMap<string, number>;
  maxBrittle: number;
  allowed: readonly string[];
  baseline: CheckBaseline | undefined;
}

export interface CheckParts {
  head: CheckHead;
  reports: PartReports;
  /** Of the parts that were asked for and could not go on: why. */
  faults: Partial<Record<PartName, string>>;
  asked: readonly PartName[];
  gates: CheckGates;
  again: FindingParts['again'];
  seconds: number;
  /** `--only` or `--skip` leave something out. */
  isNarrowed: boolean;
  hasAssert: boolean;
  hasApp: boolean;
  /** What ended it before its end. */
  error?: CheckReport['error'];
}

/** A report with what keeps it from being passed, a line each. */
export interface JudgedCheck {
  report: CheckReport;
  complaints: string[];
}

const NOTHING = 3;

/** Judges what the parts have come to. */
export function makeCheckReport(parts: CheckParts): JudgedCheck {
  const { head, reports, gates, error, faults } = parts;
  const { maxBrittle, allowed, baseline } = gates;
  const findings = checkFindings(reports, { again: parts.again, spend: baseline?.spend, maxBrittle, allowed });
  const today = head.date.slice(0, 10);
  const excuse = (finding: CheckFinding) =>
    baseline && excuseOf(finding, { baseline, report: { parts: reports }, today });
  const statements = STATEMENTS.map((row) => stateOf(row, { parts, findings, excuse }));
  const complaints = error ? [] : brokenBy({ statements, findings, excuse, parts, today });
  const measured = { ...countOf(reports), seconds: Math.round(parts.seconds * 10) / 10 };
  const isCounting = findings.some((finding) => excuse(finding) === undefined);
  const tooLittle = measured.run * 2 < measured.planned || Object.keys(reports).length === 0;
  const [fault] = Object.values(faults);
  const short = tooLittle ? { exit_code: NOTHING, message: shortText(measured, fault) } : undefined;
  const end = error ?? (isCounting || complaints.length > 0 ? undefined : short);
  const exit = end?.exit_code ?? (isCounting || complaints.length > 0 ? 1 : 0);
  const report = { ...head, measured, statements, findings, parts: reports, exit, ...(end && { error: end }) };
  return { report, complaints };
}

function shortText({ planned, run }: { planned: number; run: number }, fault: string | undefined): string {
  if (planned === 0) return fault ?? 'Nothing was measured.';
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
  if (evidence.length > 0) return { id, text, state: 'held', evidence };
  return { id, text, evidence, ...unseen(row, parts) };
}

/** What was tried of a statement and broke nothing. */
function evidenceOf(row: StatementRow, { reports, hasAssert, gates }: CheckParts): string[] {
  const { app, tests, spend, receiver, service } = reports;
  const tried = app ? triedOf(app, row.deviations) : [];
  const told = bySite(tests?.lies ?? []).filter(isTold);
  const noticed = told.filter(({ lie, verdict }) => verdict === 'noticed' && isAmong(lie, row.lies));
  const seen = [...new Set(noticed.map(({ lie }) => `${lie}: caught`))];
  const checked = (receiver?.checks ?? []).filter(({ verdict }) => verdict === 'pass');
  const runs = app?.schedules_run ?? 0;
  switch (row.id) {
    case 5: {
      const refused = checked.filter(({ title }) => title.startsWith('refuses'));
      return [...tried, ...seen, ...(refused.length > 0 ? [`receiver: ${refused.length} forgeries refused`] : [])];
    }
    case 11:
      return [...(hasAssert && runs > 0 ? [`--assert: after ${runs} scenarios`] : []), ...seen];
    case 12:
      return spend && gates.baseline?.spend ? [`${spend.credits} credits, as the baseline has it`] : [];
    case 13:
      return tests && told.length > 0 ? [numbersLine(tests)] : [];
    case 14: {
      const tolerated = tests?.liberties.filter((each) => each.tolerated).length ?? 0;
      return [...tried, ...(tolerated > 0 ? [`liberties: ${tolerated} of ${tests?.liberties.length} tolerated`] : [])];
    }
    case 15:
      return service && service.exit === 0 ? [`${service.results.length} results against ${service.against}`] : [];
    default:
      return [...tried, ...seen];
  }
}

/** Why nothing is known of a statement, and the command that would look. */
function unseen(row: StatementRow, parts: CheckParts): Pick<Statement, 'state' | 'why' | 'next'> {
  const { head, reports, faults, isNarrowed, hasApp } = parts;
  const check = (words: string) => `svc-emulator check ${words} -- ${head.command}`;
  const left = (why: string, next: string) => ({ state: 'not_looked_at' as const, why, next: check(next) });
  if (row.id === 8 && !hasApp) return left('no app is started beside the tests', 'app --start COMMAND --only kill');
  if (row.id === 11) return left('nothing compared the books with the ledger', 'app tests --assert COMMAND');
  if (row.id === 12) return left('there is no baseline of what the run costs', 'spend --update-baseline');
  if (row.id === 15) return left('no address was given', 'service --against URL --key-env NAME');
  const asked: PartName[] = row.id === 13 ? ['tests'] : row.deviations.length > 0 ? ['app'] : ['app', 'tests'];
  const missing = asked.find((part) => reports[part] === undefined);
  if (missing) return left(faults[missing] ?? `${missing} was not asked for`, missing);
  const planned = Object.keys(reports.app?.planned_by_deviation ?? {}).filter((name) => isAmong(name, row.deviations));
  const names = row.deviations.join(',');
  if (faults.app !== undefined) return left(faults.app, `app --only ${names}`);
  if (planned.length > 0) return left('the time was over before one was tried', `app --only ${names} --budget 0`);
  if (row.id === 13) return left('no lie reached a test', 'tests --all');
  if (isNarrowed) return left('left out by --only or --skip', `app --only ${names}`);
  return { state: 'does_not_apply', why: `the tests make nothing of it: it needs ${row.needs || 'more traffic'}` };
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
  const isWhole = !isNarrowed && reports.app !== undefined && reports.tests !== undefined;
  return [
    ...required.map(({ id, text, state }) => `--require ${id}: ${text}: ${state.replaceAll('_', ' ')}.`),
    ...shares,
    ...(isWhole && gates.baseline ? idleAccepted(gates.baseline, { findings, today }) : []),
  ];
}
