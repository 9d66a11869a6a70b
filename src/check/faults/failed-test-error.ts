import path from 'node:path';
import { type ComparedValues, parseComparedValues } from './compared-values.ts';
import { TIMEOUT_MESSAGE_PATTERN } from './late-end.ts';

export interface FailedTestError {
  error: string;
  file?: string | undefined;
}

/**
 * Matches an error of `toHaveSpent`, or of `spending` in pytest. It names credits or refunds before "got" only if the
 * test expects a number of them.
 */
const SPENDING =
  /(?:^|Error: )Expected (?:(?<credits>\d+) credits?)?(?: spent)?(?: and )?(?:(?<refunds>\d+) refunds?)?, got (?<spent>\d+) credits? spent and (?<refunded>\d+) refunds?:/;

function spendingIn(error: string) {
  return SPENDING.exec(error)?.groups ?? {};
}

/** True if the credits are right and only the number of refunds differs: the client tried less or more often. */
export function countsOnlyRefunds(error: string): boolean {
  const { credits, spent } = spendingIn(error);
  return spent !== undefined && (credits === undefined || credits === spent);
}

/**
 * True if less was spent than expected, with the expected number of refunds. Even in a correct app, a loss may end an
 * order before its later parts are paid.
 */
export function saysLessWasSpent(error: string): boolean {
  const { credits, refunds, spent, refunded } = spendingIn(error);
  return Number(spent) < Number(credits) && (refunds === undefined || refunds === refunded);
}

/** True if more was spent than expected. */
export function saysMoreWasSpent(error: string): boolean {
  const { credits, spent } = spendingIn(error);
  return Number(spent) > Number(credits);
}

/** Matches the error of a test that itself waits for a delivery, or for an inbox message, without success. */
export const MISSING_EVENT = /\b(?:delivery:(?<type>\S+)|inbox:\S+) did not come within /;

export function showsSuccessForFailure(error: string): boolean {
  const isSuccess = ({ got, wanted }: ComparedValues) =>
    STATE.test(got) && STATE.test(wanted) && TROUBLE.test(wanted) && !TROUBLE.test(got);
  return parseComparedValues(error).some(isSuccess);
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
 * a lost connection by a TypeError, and Jest its own errors. The last form matches an error that ends with the line of
 * `originLine`.
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
export function showsBug({ error, file }: FailedTestError): boolean {
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

export function isReported(error: string): boolean {
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
/** Matches the names of fields that hold the money of a customer, which a refund makes larger. */
const MONEY_FIELD = /balance|cents|funds|money|purse|wallet/i;
const COST_FIELD = /cost|price|spent|charged|paid|(?<!un)used|usage/i;
/** A number below this one usually counts files, messages or parts. */
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
 * A refund makes a balance larger, and a cost smaller. A larger number shows no loss if it counts something: if 0 or 1 is
 * expected and the number is small, or if its field counts what was delivered.
 */
function isNumberOfLoss({ actual, expected, field }: { actual: number; expected: number; field: string }): boolean {
  if (COST_FIELD.test(field) && !REFUND_FIELD.test(field)) return Math.abs(actual) < Math.abs(expected);
  const isNothing = actual === 0 && (field !== '' || expected === 1);
  const isCount = COUNT_FIELD.test(field) || (expected >= 0 && expected < COUNTS_BELOW);
  if (actual < expected) return (isNothing || isCount) && !BALANCE_FIELD.test(field);
  const isSmallCount = [0, 1].includes(expected) && actual < COUNTS_BELOW && !MONEY_FIELD.test(field);
  return TROUBLE.test(field) || REFUND_FIELD.test(field) || (!isSmallCount && !COUNT_FIELD.test(field));
}

/** Matches words that an app may show. The contents of a file, such as JSON, HTML or the name of a type, do not match. */
const WORDS = /^(['"])[^{}<>/]*[\p{L}.] \p{L}[^{}<>/]*$/u;

/** True if the error compares texts, and each actual text reports a loss or has other words than the expected text. */
export function comparesWithOtherWords(error: string): boolean {
  const isOtherText = (values: ComparedValues) =>
    shownBy(values) === 'unclear' && WORDS.test(values.got) && !isBeginningOf(values.got, values.wanted);
  const compared = comparedIn(error);
  return compared.length > 0 && compared.every((values) => isOtherText(values) || shownBy(values) === 'loss');
}

/** True if the error compares the beginning of a text with the whole text, and other values only with a loss. */
export function comparesPartOfText(error: string): boolean {
  const isPart = ({ got, wanted }: ComparedValues) => isBeginningOf(got, wanted);
  const compared = parseComparedValues(error);
  return compared.some(isPart) && compared.every((values) => isPart(values) || shownBy(values) === 'loss');
}

export function isUnanswered(error: string): boolean {
  return parseComparedValues(error).some(({ got, wanted }) => NOTHING.includes(got) && DONE.test(wanted));
}
