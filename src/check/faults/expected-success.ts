import path from 'node:path';
import { extractErrorText } from '../../base/output/output-line.ts';
import { countWithNoun, formatFileAndLine, tryParseJson } from '../../base/text.ts';
import { qualifiedTestName } from '../../engine/accounts/tests.ts';
import { filterRecordByTests } from '../runner/combine-records.ts';
import { type RecordedJob, type RequestRow, type RunRecord, type TestRow, toFailedTest } from '../runner/run-record.ts';
import type { Run } from '../runner/runner.ts';
import { type ComparedValues, parseComparedValues } from './compared-values.ts';
import { type FaultAtSite, isJobOutcomeFault, type ScenarioFaults } from './fault-at.ts';
import { TIMEOUT_MESSAGE_PATTERN } from './late-end.ts';
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
  // Excludes `cut` and `expired`: a partial response shown as complete, or an error stored as a file, fails with the
  // same words.
  const isWholeLost = isLost && !has(/^(?:cut:|expired$)/);
  const isUnsent = has(/^lost$/);
  const isUnordered = isLost && has(/^lost_request$/);
  // A command that ends without the error of a test may have failed for any reason.
  const namesTest = (run.record.failedTests ?? []).length > 0;
  const isReplaced = isLost && hasReplacedFailedOrder(run.record, scenario);
  return failuresOf(run).every(
    ({ error, file }) =>
      (isLost && isReported(error)) ||
      (isReplaced && parseComparedValues(error).some(isSuccessForFailure)) ||
      (isWholeLost && namesTest && !showsBug({ error, file })) ||
      (isLost && saysLessWasSpent(error)) ||
      (isUnsent && isUnanswered(error)) ||
      (isUnordered && MISSING_EVENT.test(error)) ||
      (isUnsent && awaitsLostEvent(run.record, error)),
  );
}

/**
 * Matches an error of `toHaveSpent`, or of `spending` in pytest. It names credits or refunds before "got" only if the
 * test expects a number of them.
 */
const SPENDING =
  /(?:^|Error: )Expected (?:(?<credits>\d+) credits?)?(?: spent)?(?: and )?(?:(?<refunds>\d+) refunds?)?, got (?<spent>\d+) credits? spent and (?<refunded>\d+) refunds?:/;

/** True if the credits are right and only the number of refunds differs: the client tried less or more often. */
function countsOnlyRefunds(error: string): boolean {
  const { credits, spent } = SPENDING.exec(error)?.groups ?? {};
  return spent !== undefined && (credits === undefined || credits === spent);
}

/**
 * True if less was spent than expected, with the expected number of refunds. Even in a correct app, a loss may end an
 * order before its later parts are paid.
 */
function saysLessWasSpent(error: string): boolean {
  const { credits, refunds, spent, refunded } = SPENDING.exec(error)?.groups ?? {};
  return Number(spent) < Number(credits) && (refunds === undefined || refunds === refunded);
}

/** True if the test of a run, or one of its tests, says that more was spent than it expects. */
export function saysMoreWasSpent(run: Run): boolean {
  return errorsOf(run).some((error) => {
    const { credits, spent } = SPENDING.exec(error)?.groups ?? {};
    return Number(spent) > Number(credits);
  });
}

/** Matches the error of a test that itself waits for a delivery, or for an inbox message, without success. */
const MISSING_EVENT = /\b(?:delivery:(?<type>\S+)|inbox:\S+) did not come within /;

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

function isSuccessForFailure({ got, wanted }: ComparedValues): boolean {
  return STATE.test(got) && STATE.test(wanted) && TROUBLE.test(wanted) && !TROUBLE.test(got);
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

interface FailedTestError {
  error: string;
  file?: string | undefined;
}

function failuresOf({ record, output }: Run): FailedTestError[] {
  const { failedTests: failed = [] } = record;
  if (failed.length === 0) return [{ error: extractErrorText(output, 1) }];
  return failed.map(({ error = '', file }) => ({ error, file }));
}

function errorsOf(run: Run): string[] {
  return failuresOf(run).map(({ error }) => error);
}

const DONE = /(?<![\w.:])20[0124](?![\w.:])/;
const FAILED_STATUS = '(?:402|404|409|424|429|50[0-4])';
/** An HTTP status that a test may expect. Other numbers of three digits are more likely credits. */
const STATUS = /^(?:20[0124]|40[0-49]|41[0-35]|42[249]|50[0-47])$/;
const EXIT_CODE = /^(?:[1-9]|[1-9]\d|1[0-2]\d)$/;
const NOT_DONE = new RegExp(`(?<![\\w.:])${FAILED_STATUS}(?![\\w.:])`);

const SAYS_STATUS = new RegExp(`(?:^(?:Error: )?|\\b(?:status|HTTP)(?: code)?:? )${FAILED_STATUS}\\b`, 'm');

const NOTHING = ["''", '""', 'undefined', 'null', 'None', '[]', '{}', 'Array []', 'Object {}'];
const TROUBLE =
  /\b(?:errors?|fail(?:ed|ure)?|lost|unavailable|sorry|try again|(?:could|did|can) ?n[o']t|unable|no (?:response|reply|answer))\b/i;
/** More words of a report. Expected texts may contain them too, so only actual values are searched. */
const REPORT = new RegExp(
  `${TROUBLE.source}|\\b(?:not available|went wrong|problem|missing|gone|dropped|interrupted|incomplete|cancell?ed|refund(?:ed|s)?|timed out|connection|(?:was|were)n[o']t)\\b`,
  'i',
);
const STATE = /^(['"])[a-z_]+\1$/;
const TEXT = /^['"]/;
const LIST = /^[[({]/;
const CUT_OFF = [
  /fetch failed|terminated|\bE(?:CONNRESET|CONNABORTED|TIMEDOUT|PIPE)\b|socket hang up|other side closed|premature close/i,
  /network (?:error|timeout)|operation was aborted|request (?:was )?aborted|AbortError|aborted due to timeout/i,
  /\btimed out\b|\btimeout (?:of|awaiting|error|exceeded)\b|Timeout(?:Error|Exception)\b/i,
  /\bAPI(?:Connection|Timeout)\w*Error|connection (?:error|aborted|broken|reset|closed)|(?:Read|Write|Connect|Pool)Timeout/i,
  /RemoteDisconnected|ServerDisconnected|server disconnected|ChunkedEncodingError|IncompleteRead|RemoteProtocolError/i,
];

/** Matches an error that the app threw, which may report a loss in any words. */
const THREW = /^Thrown: /;
/** An exception whose class belongs to a module other than `json` and `svc_emulator`, as pytest prints it. */
const RAISED = /^\S+:\d+: (?!json\.|svc_emulator\.)(?:\w+\.)+\w+: /;

/**
 * Match an error that the language itself throws, or a parser of JSON: a bug of the app, or of the test. `fetch` reports
 * a lost connection by a TypeError, and Jest its own errors. The last form matches an error
 * that ends with the line of `originLine`.
 */
const BROKEN_CODE = [
  /^(?:Thrown: )?(?:Cannot (?:(?:read|set) propert|convert undefined|destructure )|\S+ is not (?:a function|defined|iterable)\b)/m,
  /^(?:Thrown: )?(?:Unexpected (?:token|end of (?:JSON|input)|non-whitespace)|Unterminated string|.* in JSON at position \d)/m,
  /^(?:Type|Reference|Range|Syntax)Error\b(?!(?: \[Error\])?: (?:fetch failed|terminated|expect\(.*)$)/m,
  /(?:"|\[)(?:Type|Reference|Range|Syntax)Error: (?!fetch failed|terminated)/,
  /^(?:\S+:\d+: )?(?:json\.|(?:Attribute|Index|Key|Name|UnboundLocal)Error\b|TypeError: (?!fetch failed|terminated|expect\())/m,
  /^(?!(?:TypeError(?: \[Error\])?: )?(?:fetch failed|terminated|expect\())(?:.|\n)*\nat \S+\.[cm]?[jt]sx?$/,
];
const DID_NOT_REJECT =
  /did not throw|, but it didn't|instead of (?:rejecting|rejected)|Missing expected (?:rejection|exception)|DID NOT RAISE|\w not raised\b/;
/** Matches the file that raised an error: before the error in pytest, and below it in the runners of JavaScript. */
const RAISED_IN = /^(\S+\.py):\d+: |^at (\S+)$/m;

/** True if a time limit ended the test, and the value that it waited for shows no loss. */
function isTimedOut(error: string): boolean {
  return TIMEOUT_MESSAGE_PATTERN.test(error) && !parseComparedValues(error).some(({ got }) => REPORT.test(got));
}

function isOfBrokenCode(error: string): boolean {
  return BROKEN_CODE.some((form) => form.test(error));
}

/** True if the test file itself raised the error: it read a value that a lost response does not have. */
function namesFile(testFile: string | undefined, error: string): boolean {
  const [, python, script] = RAISED_IN.exec(error) ?? [];
  return testFile !== undefined && path.basename(testFile) === path.basename(python ?? script ?? '');
}

/**
 * True if the error shows more than the loss itself, such as too few credits or broken code. A test that only misses what
 * is lost says nothing about the app.
 */
function showsBug({ error, file }: FailedTestError): boolean {
  if (isTimedOut(error) || [SPENDING, MISSING_EVENT, DID_NOT_REJECT].some((form) => form.test(error))) return true;
  if (isOfBrokenCode(error)) return !namesFile(file, error);
  return comparedIn(error).some((values) => shownBy(values) === 'bug');
}

/** The compared values in an error, without a number that became smaller by what a balance or refund gained. */
function comparedIn(error: string): ComparedValues[] {
  const compared = parseComparedValues(error);
  const gainOf = ({ got, wanted }: ComparedValues) => readNumber(got) - readNumber(wanted);
  const gains = compared.filter(({ field = '' }) => BALANCE_FIELD.test(field) || REFUND_FIELD.test(field)).map(gainOf);
  return compared.filter((values) => !(gainOf(values) < 0 && gains.includes(-gainOf(values))));
}

function isReported(error: string): boolean {
  if (isTimedOut(error) || isOfBrokenCode(error)) return false;
  const compared = comparedIn(error);
  const statuses = compared.filter(isOfStatus);
  if (statuses.length > 0) return statuses.every((values) => shownBy(values) === 'loss');
  if (compared.length === 0 && DONE.test(error)) return NOT_DONE.test(error);
  if (compared.some(isExitCode) && TROUBLE.test(error)) return true;
  // All compared fields must show the loss, because partial text next to an empty field is a partial response.
  const isShown = compared.length > 0 && compared.every((values) => shownBy(values) === 'loss');
  return isShown || [THREW, RAISED, SAYS_STATUS, ...CUT_OFF].some((form) => form.test(error));
}

/** Two numbers are statuses only if both may be: the 200 of `200 !== 180` is more likely credits. */
function isOfStatus({ got, wanted }: ComparedValues): boolean {
  const areNumbers = [got, wanted].every((text) => !Number.isNaN(readNumber(text)));
  return areNumbers ? STATUS.test(got) && STATUS.test(wanted) : DONE.test(got) || DONE.test(wanted);
}

/** Reads a number, or a difference as pytest prints it: `((100 - 6) - 7)`. NaN for other texts. */
function readNumber(text: string): number {
  if (/^-\d+(?:\.\d+)?$/.test(text)) return Number(text);
  if (!/^\(*\d+(?:\.\d+)?(?:\)? - \d+(?:\.\d+)?)*\)?$/.test(text)) return Number.NaN;
  const [first = Number.NaN, ...taken] = (text.match(/[\d.]+/g) ?? []).map(Number);
  return taken.reduce((left, each) => left - each, first);
}

function isExitCode({ got, wanted, field }: ComparedValues): boolean {
  return field === undefined && EXIT_CODE.test(got) && wanted === '0';
}

/** Matches the names of fields whose text reports a failure, in any words. */
const ERROR_FIELD = /^(?:error|failure|reason)(?:_?(?:message|text|code|reason))?$/i;

const REFUND_FIELD = /refund/i;
const BALANCE_FIELD = /balance/i;
const COST_FIELD = /cost|price|spent|charged|paid|(?<!un)used|usage/i;
/** An expected number below this one usually counts files, messages or parts. */
const COUNTS_BELOW = 10;
/** Matches the names of fields that count what was delivered. A loss makes such a number smaller. */
const COUNT_FIELD = /^(?:length|len|count|called|calls|bytes|size|ok|done|ready|sent|delivered|succeeded|completed)$/i;

/**
 * What two compared values say about the app: 'loss' if the actual value is what a loss leaves, 'bug' if it is not, and
 * 'unclear' if it may be either.
 */
function shownBy(values: ComparedValues): 'loss' | 'bug' | 'unclear' {
  const { got, wanted, field = '' } = values;
  if (NOTHING.includes(got)) return 'loss';
  // A customer who got a refund for the loss can pay for an order that the test expects to be refused.
  if (isOfStatus(values)) return NOT_DONE.test(got) || /^402\b/.test(wanted) ? 'loss' : 'bug';
  const [actual = Number.NaN, expected = Number.NaN] = [got, wanted].map(readNumber);
  if (!Number.isNaN(actual - expected)) return isNumberOfLoss({ actual, expected, field }) ? 'loss' : 'bug';
  return shownByText({ got, wanted, field });
}

function shownByText({ got, wanted, field }: Required<ComparedValues>): 'loss' | 'bug' | 'unclear' {
  if (ERROR_FIELD.test(field) || (STATE.test(got) && STATE.test(wanted))) return 'loss';
  // The actual value is the item if the test looks for a state in a list of good ones.
  if (LIST.test(got) && !LIST.test(wanted)) return TROUBLE.test(wanted) ? 'loss' : 'unclear';
  // The expected text may name another failure.
  if (REPORT.test(got) && !isBeginningOf(got, wanted)) return 'loss';
  // Other texts may report the loss in any words, or in another language.
  return TROUBLE.test(wanted) ? 'bug' : 'unclear';
}

function isBeginningOf(got: string, wanted: string): boolean {
  const [part = '', whole = ''] = [got, wanted].map((text) => text.replace(/^(['"])(.*)\1$/, '$2'));
  return TEXT.test(got) === TEXT.test(wanted) && part !== '' && part !== whole && whole.startsWith(part);
}

/**
 * A refund makes a balance larger, and a cost smaller. A larger number shows no loss if 0 is expected, because such a test
 * usually counts something, or if it counts what was delivered.
 */
function isNumberOfLoss({ actual, expected, field }: { actual: number; expected: number; field: string }): boolean {
  if (COST_FIELD.test(field) && !REFUND_FIELD.test(field)) return Math.abs(actual) < Math.abs(expected);
  const isNothing = actual === 0 && (field !== '' || expected === 1);
  const isCount = COUNT_FIELD.test(field) || (expected >= 0 && expected < COUNTS_BELOW);
  if (actual < expected) return (isNothing || isCount) && !BALANCE_FIELD.test(field);
  return TROUBLE.test(field) || REFUND_FIELD.test(field) || (![0, 1].includes(expected) && !COUNT_FIELD.test(field));
}

/** True if each failed test only compares the beginning of a text with the whole text. */
export function failsByPartOfText(run: Run): boolean {
  const isPart = ({ got, wanted }: ComparedValues) => isBeginningOf(got, wanted);
  return errorsOf(run).every((error) => {
    const compared = parseComparedValues(error);
    return compared.some(isPart) && compared.every((values) => isPart(values) || shownBy(values) === 'loss');
  });
}

function isUnanswered(error: string): boolean {
  return parseComparedValues(error).some(({ got, wanted }) => NOTHING.includes(got) && DONE.test(wanted));
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
