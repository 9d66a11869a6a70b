import { extractErrorText } from '../../base/output/output-line.ts';
import { countWithNoun, formatFileAndLine, tryParseJson } from '../../base/text.ts';
import { qualifiedTestName } from '../../engine/accounts/tests.ts';
import { filterRecordByTests } from '../runner/combine-records.ts';
import { type RecordedJob, type RequestRow, type RunRecord, type TestRow, toFailedTest } from '../runner/run-record.ts';
import type { Run } from '../runner/runner.ts';
import {
  comparesPartOfText,
  comparesWithOtherWords,
  countsOnlyRefunds,
  type FailedTestError,
  isReported,
  isUnanswered,
  MISSING_EVENT,
  saysLessWasSpent,
  saysMoreWasSpent,
  showsBug,
  showsSuccessForFailure,
} from './failed-test-error.ts';
import { type FaultAtSite, isJobOutcomeFault, type ScenarioFaults } from './fault-at.ts';
import { isJobReadRequest, removeSiteNumber, siteNameOfRequest } from './site.ts';

export interface FailedTestExpectingSuccess {
  test: string;
  scenario: ScenarioFaults;
  did: string;
}

const REFUSALS = ['empty_balance', 'fails', 'take_fails', 'blocked'];
const UNCAUGHT = /Unhandled (?:Errors?|Rejection)|UnhandledPromiseRejection|\bUncaught\b|^panic: |^Segmentation fault/m;
/**
 * Matches an error that JavaScript itself throws, except for the TypeError by which `fetch` reports a lost connection.
 */
const THROWN = /^(?:Type|Reference|Range|Syntax)Error\b(?!: (?:fetch failed|terminated)$)/m;
const VERSION = /^Node\.js v\d/m;

export function hasUncaughtError(output: string): boolean {
  const thrown = output.search(THROWN);
  return UNCAUGHT.test(output) || (thrown !== -1 && VERSION.test(output.slice(thrown)));
}

function isRefusal({ fault }: FaultAtSite): boolean {
  return REFUSALS.includes(fault.split(':')[0] ?? '');
}

/** `isLost` is true if no app could get the whole result under these faults (`hasUnavoidableLoss`). */
export function failsOnlyByExpectingSuccess(run: Run, scenario: ScenarioFaults, isLost: boolean): boolean {
  const { failure, output } = run;
  if (failure?.kind !== 'exit' || hasUncaughtError(output)) return false;
  if (scenario.some(isRefusal)) return !ignoresFailedJob(run.record);
  if (errorsOf(run).every(countsOnlyRefunds)) return true;
  const has = (names: RegExp) => scenario.some(({ fault }) => names.test(fault));
  // Excludes `cut` and `expired`: without an error, a test cannot tell a partial response from a whole one, or an error
  // that was stored as a file from the file.
  const isWholeLost = isLost && !has(/^(?:cut:|expired$)/);
  const isFileLost = isLost && has(/^expired$/) && !has(/^cut:/);
  const isUnsent = has(/^lost$/);
  const isUnordered = isLost && has(/^lost_request$/);
  // A command that ends without the error of a test may have failed for any reason.
  const namesTest = (run.record.failedTests ?? []).length > 0;
  const isReplaced = isLost && hasReplacedFailedOrder(run.record, scenario);
  return failuresOf(run).every(
    ({ error, file }) =>
      (isLost && isReported(error)) ||
      (isFileLost && comparesWithOtherWords(error)) ||
      (isReplaced && showsSuccessForFailure(error)) ||
      (isWholeLost && namesTest && !showsBug({ error, file })) ||
      (isLost && saysLessWasSpent(error)) ||
      (isUnsent && isUnanswered(error)) ||
      (isUnordered && MISSING_EVENT.test(error)) ||
      (isUnsent && awaitsLostEvent(run.record, error)),
  );
}

function awaitsLostEvent({ deliveries }: RunRecord, error: string): boolean {
  const missing = MISSING_EVENT.exec(error);
  const awaited = missing?.groups?.type;
  return (
    missing !== null &&
    deliveries.some(({ fault, type }) => fault === 'drop' && (awaited === undefined || awaited === type))
  );
}

/**
 * A client ignores the failure of a job if it reads the failed job at least this often, over at least this many
 * milliseconds.
 */
const [IGNORING_READS, IGNORING_MS] = [10, 2000];

function ignoresFailedJob({ jobs, requests }: RunRecord): boolean {
  return jobs.some(({ id, status }) => {
    if (status !== 'failed') return false;
    const shown = readsThatShow({ id, status }, requests).map(({ received_at }) => Date.parse(received_at));
    return shown.length >= IGNORING_READS && Math.max(...shown) - Math.min(...shown) >= IGNORING_MS;
  });
}

/**
 * True if a job at a site of the scenario failed and was refunded, and the client ordered it again with success. The first
 * order may have used up the rule by which the test makes its job fail.
 */
function hasReplacedFailedOrder({ jobs, requests }: RunRecord, scenario: ScenarioFaults): boolean {
  const sites = scenario.map(({ site }) => removeSiteNumber(site));
  const ordersWhoseJobs = (status: string) =>
    requests.filter(
      (request) =>
        sites.includes(siteNameOfRequest(request)) &&
        jobs.some((job) => request.job_ids.includes(job.id) && job.status === status),
    );
  const [failed] = ordersWhoseJobs('failed');
  return (
    failed !== undefined &&
    ordersWhoseJobs('succeeded').some(
      ({ account_id: owner, received_at: at }) => owner === failed.account_id && at > failed.received_at,
    )
  );
}

/** The reads that returned this status of the job. */
export function readsThatShow({ id, status }: Pick<RecordedJob, 'id' | 'status'>, requests: readonly RequestRow[]) {
  return requests.filter(
    (request) => isJobReadRequest(request) && request.path.includes(id) && statusIn(request) === status,
  );
}

function statusIn({ answer }: RequestRow): unknown {
  return Object(tryParseJson(answer ?? '')).status;
}

function failuresOf({ record, output }: Run): FailedTestError[] {
  const { failedTests: failed = [] } = record;
  if (failed.length === 0) return [{ error: extractErrorText(output, 1) }];
  return failed.map(({ error = '', file }) => ({ error, file }));
}

function errorsOf(run: Run): string[] {
  return failuresOf(run).map(({ error }) => error);
}

/** True if each failed test only compares the beginning of a text with the whole text. */
export function failsByPartOfText(run: Run): boolean {
  return errorsOf(run).every(comparesPartOfText);
}

export function seesMoreSpent(run: Run): boolean {
  return errorsOf(run).some(saysMoreWasSpent);
}

interface Witness {
  /** For each fault, the test of its site. Undefined for a command without tests. */
  tests: readonly (string | undefined)[];
  /** Masks secrets before texts are shortened. */
  mask(text: string): string;
}

export function toTestExpectingSuccess(
  run: Run,
  faults: ScenarioFaults,
  { tests, mask }: Witness,
): FailedTestExpectingSuccess {
  const { record } = run;
  const refusals = faults.filter(isRefusal);
  const failed = (record.tests ?? []).filter(({ outcome }) => outcome === 'failed');
  const row = failed.find((each) => tests.includes(qualifiedTestName(each))) ?? failed[0];
  const test = row ? `${row.name}${formatFileAndLine(toFailedTest(row))}` : mask(namedIn(run)).trim();
  if (refusals.length === 0) return { scenario: faults, test, did: saidBy(run, mask) };
  return {
    scenario: refusals,
    test,
    did: row ? whatCame(refusals, ofTest(row, record)) : whatCameAt(refusals, record),
  };
}

export function addTestUnlessFaultsListed(all: FailedTestExpectingSuccess[], added: FailedTestExpectingSuccess): void {
  const namesOf = ({ scenario }: FailedTestExpectingSuccess) => scenario.map(({ fault }) => fault).toSorted();
  const names = namesOf(added);
  const known = all.map((each) => namesOf(each).join(' + '));
  if (![names.join(' + '), ...names].some((each) => known.includes(each))) all.push(added);
}

function namedIn({ record, output }: Run): string {
  const [first] = record.failedTests ?? [];
  return first ? `${first.name}${formatFileAndLine(first)}` : extractErrorText(output, 1);
}

const MAX_SAID = 200;

function saidBy(run: Run, mask: (text: string) => string): string {
  const [first = ''] = errorsOf(run);
  return `the test failed with: ${mask(first).trim().split(/\s+/).join(' ').slice(0, MAX_SAID)}`;
}

function ofTest(row: TestRow, record: RunRecord): RunRecord {
  return row.account_ids.length > 0
    ? filterRecordByTests(record, [row], true)
    : filterRecordByTests(record, record.tests ?? [], false);
}

function whatCameAt(faults: ScenarioFaults, record: RunRecord): string {
  const sites = faults.map(({ site }) => removeSiteNumber(site));
  const requests = record.requests.filter((each) => sites.includes(siteNameOfRequest(each)));
  return requests.length > 0
    ? whatCame(faults, { ...record, requests, ledger: [] })
    : 'the credits of the job came back';
}

function whatCame(faults: ScenarioFaults, { requests, ledger }: RunRecord): string {
  const refused = faults.every(isJobOutcomeFault) ? undefined : requests.findLast(({ status }) => status >= 400);
  const back = ledger.filter(({ type }) => type === 'refund').reduce((sum, { amount }) => sum + amount, 0);
  const answered = refused ? [`${refused.method} ${refused.path} returned ${refused.status}`] : [];
  return [...answered, back > 0 ? `${countWithNoun(back, 'credit')} came back` : 'nothing was charged for it'].join(
    '; ',
  );
}
