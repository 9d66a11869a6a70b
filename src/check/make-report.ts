import { countWithNoun } from '../base/text.ts';
import { type CheckBaseline, findingState, staleEntryLines } from './baseline.ts';
import { WHOLE_COMMAND_TEST_NAME } from './baseline-runs.ts';
import { CHECKS, type Check, type CheckId } from './checks.ts';
import type { FailureFinding } from './failure-finding.ts';
import { formatFaults } from './faults/fault-at.ts';
import { findSameCauseFinding } from './findings.ts';
import { type FindingWithoutState, makeFindings } from './make-findings.ts';
import { LEFT_OUT_REASON } from './print-text.ts';
import type { CheckReport, Finding, ReportedCheck } from './report.ts';
import type { CheckResults, ScenarioKindResult } from './results.ts';
import { TOO_LITTLE_TESTED_EXIT_CODE } from './runner/runner.ts';
import { faultNamesOfCheck } from './selection.ts';
import type { CheckSettings } from './settings.ts';
import { summarizeSpend } from './spend.ts';
import { type CheckInvocation, decodeToken, formatCheckCommand } from './token.ts';

export type CheckReportHeader = Pick<CheckReport, 'version' | 'command' | 'seed' | 'commit'>;

export interface ReportInput {
  head: CheckReportHeader;
  results: CheckResults;
  settings: Pick<CheckSettings, 'selection' | 'require' | 'replay' | 'shard'>;
  baseline: CheckBaseline | undefined;
  /** True if the findings are written to the baseline, and so do not fail the run. */
  isWritten: boolean;
  again: CheckInvocation;
  seconds: number;
  today: string;
  hasAssert: boolean;
  hasApp: boolean;
  error?: { exit_code: number; message: string } | undefined;
}

export interface JudgedReport {
  report: CheckReport;
  complaints: readonly string[];
  notes: readonly string[];
  isWhole: boolean;
}

/** The exit codes after SIGHUP, SIGINT and SIGTERM. */
export const INTERRUPTED_EXIT_CODES = [129, 130, 143];
/** The exit codes for wrong use, and for a command that fails by itself or does not exist. */
export const SETUP_ERROR_EXIT_CODES = [2, 127];

/** The exit codes of runs that ended early, the worst first. A merged report ends with the first one that a part has. */
export const RUN_ERROR_EXIT_CODES: readonly number[] = [
  ...INTERRUPTED_EXIT_CODES,
  70,
  TOO_LITTLE_TESTED_EXIT_CODE,
  ...SETUP_ERROR_EXIT_CODES,
];

type AnyCheck = Check & { id: CheckId };
const ALL: readonly AnyCheck[] = CHECKS;

export function makeReport(parts: ReportInput): JudgedReport {
  const { head, results, baseline, again, today, error, settings, isWritten } = parts;
  const { version, seed } = head;
  const all = makeFindings(results, { version, seed, again, spend: baseline?.spend });
  const found = all.filter((each) => isAsked(each, settings));
  // A replay ignores the baseline file, because it shows whether the finding occurs.
  const known = settings.replay ? undefined : baseline;
  const excuses = new Map(found.map((each) => [each, findingState(each, known, today)]));
  const checks = ALL.map((check) => stateOf(check, parts, excuses));
  const isWhole = isComplete(parts);
  const unmatched = isWhole && baseline ? staleEntryLines(baseline, found, today) : [];
  const complaints = error ? [] : [...unmetRequirements(checks, settings.require), ...unmatched];
  const hasFailed = complaints.length > 0 || (!isWritten && checks.some(({ state }) => state === 'failed'));
  const measured = { ...countScenarioKinds(results, settings), seconds: Math.round(parts.seconds * 10) / 10 };
  const end = error ?? (hasFailed ? undefined : shortfallOf(parts, measured));
  const [plain] = results.baseline?.runs ?? [];
  const report: CheckReport = {
    ...head,
    shard: { i: settings.shard.index, n: settings.shard.of },
    measured,
    checks,
    findings: found.map((each): Finding => ({ ...each, state: excuses.get(each)?.state ?? 'new' })),
    expects_success: results.expected.map(({ test, scenario, did }) => ({ test, fault: formatFaults(scenario), did })),
    dead_tests: [...results.deadTests],
    spend: plain ? summarizeSpend(plain.spent) : null,
    exit: end?.exit_code ?? Number(hasFailed),
    ...(end && { error: end.message }),
  };
  return { report, complaints, notes: notesOf(results), isWhole };
}

function isAsked({ token, check }: FindingWithoutState, { replay, selection }: ReportInput['settings']): boolean {
  const isOfBaseline = decodeToken(token)?.scene.kind === 'spend';
  if (!replay) return !isOfBaseline || selection.wantsCheck(check);
  return isOfBaseline ? replay.scene.kind === 'spend' && check === replay.check : replay.scene.kind !== 'spend';
}

export function countScenarioKinds(
  { kinds, tried, baseline }: CheckResults,
  { replay, selection }: Pick<CheckSettings, 'replay' | 'selection'>,
): { planned: number; run: number } {
  if (replay?.scene.kind === 'fault')
    return { planned: 1, run: Number(tried.some(({ outcome }) => outcome !== 'unmet')) };
  if (replay || !selection.wantsFaults) return { planned: 1, run: Number(baseline !== undefined) };
  return { planned: kinds.length, run: kinds.filter(({ isTried }) => isTried).length };
}

const NOT_PREPARED =
  'Nothing was measured: there was nothing to try, or the time ran out before the baseline runs had ended. Use a longer --budget, or run fewer tests.';

const NOT_REPLAYED =
  'The finding was not tried: the time ran out, or nothing in the tests meets its fault any more. Use a longer --budget, or check again.';

function shortText(planned: number, run: number, remedy = 'give a longer --budget'): string {
  if (planned === 0) return NOT_PREPARED;
  return `Only ${run} of ${countWithNoun(planned, 'planned scenario')} ${run === 1 ? 'was' : 'were'} tried: ${remedy}.`;
}

function unconfirmedText(count: number): string {
  return `${countWithNoun(count, 'failure')} ${count === 1 ? 'was' : 'were'} not confirmed in time: give a longer --budget.`;
}

function openFailures({ unconfirmed, findings }: CheckResults): FailureFinding[] {
  return unconfirmed.filter((each) => !findSameCauseFinding(findings, each));
}

function shortfallOf(
  { settings, results }: ReportInput,
  { planned, run }: { planned: number; run: number },
): ReportInput['error'] {
  const isEmpty = planned === 0 && settings.shard.of === 1;
  const open = openFailures(results).length;
  if (open > 0) return { exit_code: TOO_LITTLE_TESTED_EXIT_CODE, message: unconfirmedText(open) };
  if (!isEmpty && run * 2 >= planned) return undefined;
  const isOver = planned > 0 && results.kinds.every(({ outcome }) => outcome !== undefined);
  const remedy = isOver ? 'nothing in the tests met the faults of the others' : undefined;
  const text = settings.replay ? NOT_REPLAYED : shortText(planned, run, remedy);
  return { exit_code: TOO_LITTLE_TESTED_EXIT_CODE, message: results.stopped ?? (isDead(results) ? DEAD : text) };
}

interface MergeSettings extends Pick<ReportInput, 'baseline' | 'today' | 'isWritten'> {
  require: readonly CheckId[];
}

export function judgeMergedReport(
  merged: CheckReport,
  { require, baseline, today, isWritten }: MergeSettings,
): JudgedReport {
  const excuses = new Map(merged.findings.map((each) => [each, findingState(each, baseline, today)]));
  const checks = merged.checks.map((check): ReportedCheck => {
    const own = [...excuses].filter(([finding]) => finding.check === check.id).map(([, excuse]) => excuse);
    const { id, tried, findings } = check;
    // The reason of a failed check does not fit another state, nor that of another state a failed check.
    const bare = { id, tried, findings };
    if (own.some(({ state }) => state === 'new'))
      return check.state === 'failed' ? check : { ...bare, state: 'failed' };
    if (own.length === 0) return check;
    const isTried = check.tried.run >= check.tried.of;
    const base = check.state === 'failed' ? bare : check;
    return { ...base, state: isTried ? 'passed' : 'not_tested', why: excusedText(own) };
  });
  const isLeftOut = merged.checks.some(({ why = '' }) => why === LEFT_OUT_REASON);
  const isWhole = !isLeftOut && merged.measured.run >= merged.measured.planned;
  const unmatched = isWhole && baseline ? staleEntryLines(baseline, merged.findings, today) : [];
  const complaints = [...unmetRequirements(checks, require), ...unmatched];
  const hasFailed = complaints.length > 0 || (!isWritten && checks.some(({ state }) => state === 'failed'));
  const { planned, run } = merged.measured;
  const isShort = !hasFailed && isTooLittle(run, planned);
  const findings = merged.findings.map((each): Finding => ({ ...each, state: excuses.get(each)?.state ?? 'new' }));
  const { error, ...rest } = { ...merged, checks, findings };
  const isEnded = RUN_ERROR_EXIT_CODES.includes(merged.exit);
  const exit = isEnded ? merged.exit : isShort ? TOO_LITTLE_TESTED_EXIT_CODE : Number(hasFailed);
  const why = isEnded ? error : isShort ? shortText(planned, run) : undefined;
  return { report: { ...rest, exit, ...(why !== undefined && { error: why }) }, complaints, notes: [], isWhole };
}

function unmetRequirements(checks: readonly ReportedCheck[], required: readonly CheckId[]): string[] {
  return checks
    .filter(({ id, state }) => required.includes(id) && state !== 'passed')
    .map(({ id, state, why }) => {
      const because = why === undefined || state === 'failed' ? '' : ` (${why})`;
      return `--require ${id}: ${state.replaceAll('_', ' ')}${because}.`;
    });
}

function isComplete({ settings, results, error }: ReportInput): boolean {
  const { selection, replay, shard } = settings;
  if (error || selection.isNarrowed || replay || shard.of > 1 || !results.baseline) return false;
  return results.unconfirmed.length === 0 && results.kinds.every(({ outcome }) => outcome !== undefined);
}

function kindsOf({ kinds }: CheckResults, id: CheckId): ScenarioKindResult[] {
  const names = faultNamesOfCheck(id);
  return kinds.filter(({ fault }) => names.includes(fault));
}

function countTried({ id }: AnyCheck, { results, baseline, hasAssert }: ReportInput): ReportedCheck['tried'] {
  if (id === 'spend-unchanged') {
    const isCompared = Number(results.baseline !== undefined && baseline?.spend !== undefined);
    return { run: isCompared, of: isCompared };
  }
  if (id === 'matches-ledger' && hasAssert) return { run: results.tried.length, of: results.tried.length };
  const kinds = kindsOf(results, id);
  return { run: kinds.filter(({ isTried }) => isTried).length, of: kinds.length };
}

type Excuses = ReadonlyMap<FindingWithoutState, { state: Finding['state']; why?: string }>;

function stateOf(check: AnyCheck, parts: ReportInput, excuses: Excuses): ReportedCheck {
  const { id } = check;
  const own = [...excuses].filter(([finding]) => finding.check === id);
  const base = { id, tried: countTried(check, parts), findings: own.map(([{ token }]) => token) };
  const suspect = suspectOf(check, parts);
  if (own.some(([, { state }]) => state === 'new')) return { ...base, state: 'failed', ...suspect };
  const isExcused = own.length > 0;
  // A check that was not selected cannot pass without a known finding, because its new findings are not reported.
  if (!isExcused && !parts.settings.selection.reports(id)) return { ...base, ...unseen(check, parts) };
  if (suspect) return { ...base, state: 'not_tested', ...suspect };
  if (!isExcused && !hasEvidence(check, parts)) return { ...base, ...unseen(check, parts) };
  if (base.tried.run < base.tried.of) return { ...base, state: 'not_tested', ...unfinished(id, parts) };
  return { ...base, state: 'passed', ...(isExcused && { why: excusedText(own.map(([, excuse]) => excuse)) }) };
}

function unfinished(id: CheckId, parts: ReportInput): Missing {
  return { why: whyUntried(id, parts), next: formatCheckCommand(['--only', id, '--budget', '0'], parts.again) };
}

function whyUntried(id: CheckId, parts: ReportInput): string {
  const untried = kindsOf(parts.results, id).filter(({ isTried }) => !isTried);
  const [first, ...others] = untried;
  if (!first || untried.some(({ outcome }) => outcome === undefined)) return endOf(parts);
  return `nothing met ${first.kind}${others.length === 0 ? '' : ` and ${others.length} more`}`;
}

function excusedText(excuses: readonly { state: Finding['state']; why?: string }[]): string {
  const accepted = excuses.filter(({ state }) => state === 'accepted');
  const known = excuses.length - accepted.length;
  return [
    ...(known > 0 ? [`${countWithNoun(known, 'known finding')}`] : []),
    ...(accepted[0] ? [`${accepted.length} accepted: ${accepted[0].why}`] : []),
  ].join('; ');
}

/** Begins the reason of a check with a failure that was not confirmed. */
export const FAILED_ONCE = 'failed once';

interface Missing {
  why: string;
  next: string;
}

function suspectOf({ id }: AnyCheck, parts: ReportInput): Missing | undefined {
  const isOwn = ({ finding }: FailureFinding) => finding.check === id;
  const [open, ...more] = openFailures(parts.results).filter(isOwn);
  const suspect = open ?? parts.results.unstable.find(isOwn);
  if (!suspect) return undefined;
  const others = more.length === 0 ? '' : ` and ${more.length} more`;
  const then = open ? `was not confirmed, because ${endOf(parts)}` : 'passed when it was run again';
  const next = formatCheckCommand(['--replay', suspect.finding.token], parts.again);
  return { why: `${FAILED_ONCE}, and ${then}: ${formatFaults(suspect.scenario.faults)}${others}`, next };
}

function endOf({ error }: ReportInput): string {
  if (error && SETUP_ERROR_EXIT_CODES.includes(error.exit_code)) return 'the command failed by itself';
  return error && INTERRUPTED_EXIT_CODES.includes(error.exit_code)
    ? 'the run was interrupted'
    : 'too little of --budget was left';
}

function hasEvidence({ id }: AnyCheck, { results, baseline, hasAssert }: ReportInput): boolean {
  if (id === 'spend-unchanged') return results.baseline !== undefined && baseline?.spend !== undefined;
  if (id === 'matches-ledger') return hasAssert && results.tried.length > 0;
  return kindsOf(results, id).some(({ outcome }) => outcome === 'passed');
}

function unseen(check: AnyCheck, parts: ReportInput): Pick<ReportedCheck, 'state' | 'why' | 'next'> {
  const missing = leftOut(check, parts) ?? lacking(check, parts) ?? ofPlan(check, parts);
  if (missing) return { state: 'not_tested', ...missing };
  return { state: 'not_applicable', why: `your tests have no such traffic: it needs ${check.needs}` };
}

function leftOut({ id }: AnyCheck, parts: ReportInput): Missing | undefined {
  const { selection, replay } = parts.settings;
  const next = formatCheckCommand(['--only', id], parts.again);
  if (replay) return { why: 'only one finding was replayed', next };
  return selection.wantsCheck(id) ? undefined : { why: LEFT_OUT_REASON, next };
}

function lacking(check: AnyCheck, parts: ReportInput): Missing | undefined {
  const { id, missing } = check;
  const { results, hasApp, hasAssert, isWritten } = parts;
  const { stopped } = results;
  if (id === 'spend-unchanged' && isWritten && results.baseline) {
    const why = 'the next run is compared with the baseline of this one';
    return { why, next: formatCheckCommand(['--only', id], parts.again) };
  }
  const isGiven = (id === 'survives-restart' && hasApp) || (id === 'matches-ledger' && hasAssert);
  if (missing && !isGiven) {
    const why = stopped !== undefined && id !== 'matches-ledger' ? stopped : missing.why;
    return { why, next: formatCheckCommand(missing.next.split(' '), parts.again) };
  }
  if (isDead(results)) return { why: DEAD, next: formatCheckCommand(['--only', id], parts.again) };
  if (results.baseline) return undefined;
  const why = stopped ?? `there is no baseline, because ${endOf(parts)}`;
  return {
    why,
    next: formatCheckCommand(['--only', id, ...(stopped === undefined ? ['--budget', '0'] : [])], parts.again),
  };
}

function ofPlan({ id }: AnyCheck, parts: ReportInput): Missing | undefined {
  const kinds = kindsOf(parts.results, id);
  // --assert compares the books in the scenarios of all checks.
  const isCompared = id === 'matches-ledger' && parts.hasAssert && parts.results.kinds.length > 0;
  if (kinds.length === 0 && !isCompared) return undefined;
  const missing = unfinished(id, parts);
  const isWhole = !isCompared && kinds.every(({ isTried }) => isTried);
  return isWhole ? { ...missing, why: 'every scenario of it failed another check' } : missing;
}

const DEAD = 'The command passes although every request fails, so it proves nothing';

function isDead({ deadTests }: CheckResults): boolean {
  return deadTests.includes(WHOLE_COMMAND_TEST_NAME);
}

const MAX_DEAD = 5;

function notesOf(results: CheckResults): string[] {
  const { deadTests: dead } = results;
  if (dead.length === 0 || isDead(results)) return [];
  const more = dead.length > MAX_DEAD ? ` and ${dead.length - MAX_DEAD} more` : '';
  return [`${describeTestsPassingWithoutService(dead.length)}: ${dead.slice(0, MAX_DEAD).join(', ')}${more}.`];
}

/** True if so few scenarios were tried that the run ends with `TOO_LITTLE_TESTED_EXIT_CODE`, unless a check failed. */
export function isTooLittle(run: number, planned: number): boolean {
  return run * 2 < planned || planned === 0;
}

export function describeTestsPassingWithoutService(count: number): string {
  return `${count === 1 ? '1 test passes' : `${count} tests pass`} although every request fails`;
}
