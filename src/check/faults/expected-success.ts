import { assertionIn, errorLines } from '../../base/output/output-line.ts';
import { placeText } from '../../base/text.ts';
import { unitKey } from '../../control/units.ts';
import { type RunRecord, testOf, type UnitRow } from '../runner/run-record.ts';
import type { Run } from '../runner/runner.ts';
import { partOf } from '../runner/unit-watch.ts';
import type { Entry, Scenario } from './scenario.ts';

export interface ExpectedSuccess {
  test: string;
  scenario: Scenario;
  did: string;
}

const REFUSALS = ['empty_balance', 'fails', 'take_fails', 'blocked'];
const UNCAUGHT = /Unhandled (?:Errors?|Rejection)|UnhandledPromiseRejection|\bUncaught\b|^panic: |^Segmentation fault/m;
/** The same of Node, which says its version at the end. */
const [THROWN, VERSION] = [/^(?:Type|Reference|Range|Syntax)Error\b/m, /^Node\.js v\d/m];

export function isUncaught(output: string): boolean {
  const thrown = output.search(THROWN);
  return UNCAUGHT.test(output) || (thrown !== -1 && VERSION.test(output.slice(thrown)));
}

function isRefusal({ fault }: Entry): boolean {
  return REFUSALS.includes(fault.split(':')[0] ?? '');
}

/**
 * Whether all that is known of a run is that a test failed to which the service had rightly refused its work, or to which
 * the app reported an error, where no app could have saved what is lost (`isLost`), or that looks at an event that was not sent.
 */
export function expectsSuccess(run: Run, scenario: Scenario, isLost: boolean): boolean {
  const { failure, output, record } = run;
  if (failure?.kind !== 'exit' || isUncaught(output)) return false;
  if (scenario.some(isRefusal)) return true;
  const has = (names: RegExp) => scenario.some(({ fault }) => names.test(fault));
  const isGone = isLost || hasOldUrl(scenario, record);
  // Half an answer that is shown as a whole one, or an error that is kept as the file, fails in the same words.
  const isAway = isLost && !has(/^(?:cut:|expired$)/);
  const isUnsent = has(/^lost$/);
  return errorsOf(run).every(
    (error) => (isGone && isReported(error)) || (isAway && NOT_SO.test(error)) || (isUnsent && isUnanswered(error)),
  );
}

function errorsOf({ record: { failedTests = [] }, output }: Run): string[] {
  return failedTests.length > 0 ? failedTests.map(({ error }) => error ?? '') : [errorLines(output, 1)];
}

const DONE = /(?<![\w.:])20[0124](?![\w.:])/;
/** With what an app says that something else has failed; 500 is what it answers where it has not thought of that. */
const NOT_DONE = /(?<![\w.:])(?:402|409|424|429|50[234])(?![\w.:])/;

/** What an assertion got and what it wanted, as node:assert, Vitest, Jest and pytest print it. */
const ASSERTIONS = [
  /^\+ +(?<got>\S.*)\n- +(?<wanted>\S.*)$/m,
  /^(?<got>\S+) !== (?<wanted>\S+)/m,
  /expected (?<got>\S+) to (?:be|equal|deeply equal) (?<wanted>\S+)/,
  /^Expected: +(?<wanted>\S.*)\nReceived: +(?<got>\S.*)$/m,
  /\bassert (?<got>\S+) == (?<wanted>\S+)/,
];
const NOTHING = ["''", '""', 'undefined', 'null', 'None'];
const NOT_SO = /\bassert False(?! [=!]=)|^false !== true|expected false to be true|^Expected: +true\nReceived: +false/m;
const STATE = /^(['"])[a-z_]+\1$/;
const CUT_OFF =
  /fetch failed|terminated|ECONNRESET|socket hang up|aborted due to timeout|\bAPI(?:Connection|Timeout)\w*Error|Connection (?:error|aborted|broken|reset)|RemoteDisconnected|ChunkedEncodingError|IncompleteRead|ReadTimeout/;

/**
 * Whether an assertion shows that a failure was reported: it expected the status of a success and got another one, or it got
 * nothing, another state, or the error of the connection.
 */
function isReported(error: string): boolean {
  if (DONE.test(error)) return NOT_DONE.test(error);
  const { got, wanted } = comparedIn(error);
  return NOTHING.includes(got) || (STATE.test(got) && STATE.test(wanted)) || CUT_OFF.test(error);
}

/** Whether an assertion shows that the test looked at the answer to an event, which was never sent. */
function isUnanswered(error: string): boolean {
  const { got, wanted } = comparedIn(error);
  return NOTHING.includes(got) && DONE.test(wanted);
}

function comparedIn(error: string): { got: string; wanted: string } {
  const { got = '', wanted = '' } = ASSERTIONS.map((form) => form.exec(error)?.groups).find(Boolean) ?? {};
  return { got, wanted };
}

const PICTURE = /^\/cdn\/[^?]*\.(?:png|jpe?g|webp)\b/;

function hasOldUrl(scenario: Scenario, { requests }: RunRecord): boolean {
  const isOld = requests.some(({ path, status }) => status === 403 && PICTURE.test(path));
  return isOld && scenario.some(({ fault }) => fault === 'expired');
}

/** The tests of a search that expect success: once for each refusal, whatever order it was of and with whatever else. */
export class ExpectedSuccesses {
  /** Hides secrets, before anything is cut. */
  readonly #mask: (text: string) => string;
  readonly #found = new Map<string, ExpectedSuccess>();

  constructor(mask: (text: string) => string) {
    this.#mask = mask;
  }

  get all(): ExpectedSuccess[] {
    return [...this.#found.values()];
  }

  see(run: Run, scenario: Scenario, { sites, isLost }: { sites: readonly string[]; isLost: boolean }): void {
    if (!expectsSuccess(run, scenario, isLost)) return;
    const refusals = scenario.filter(isRefusal);
    const causes = refusals.length > 0 ? refusals : scenario;
    const names = causes.map(({ fault }) => fault).toSorted();
    const key = names.join(' + ');
    if ([key, ...names].some((each) => this.#found.has(each))) return;
    const { record, output } = run;
    const failed = (record.units ?? []).filter(({ outcome }) => outcome === 'failed');
    const row = failed.find((each) => sites.includes(unitKey(each))) ?? failed[0];
    const test = row ? `${row.name}${placeText(testOf(row))}` : assertionIn(output).trim();
    const did = refusals.length > 0 ? whatCame(row ? ofTest(row, record) : record) : saidBy(run, this.#mask);
    this.#found.set(key, { scenario: causes, test, did });
  }
}

const MOST_SAID = 200;

function saidBy(run: Run, mask: (text: string) => string): string {
  const [first = ''] = errorsOf(run);
  return `the test failed with: ${mask(first).trim().split(/\s+/).join(' ').slice(0, MOST_SAID)}`;
}

function ofTest(row: UnitRow, record: RunRecord): RunRecord {
  return row.account_ids.length > 0 ? partOf(record, [row], true) : partOf(record, record.units ?? [], false);
}

function whatCame({ requests, ledger }: RunRecord): string {
  const refused = requests.findLast(({ status }) => status >= 400);
  const back = ledger.filter(({ type }) => type === 'refund').reduce((sum, { amount }) => sum + amount, 0);
  const answered = refused ? [`${refused.method} ${refused.path} returned ${refused.status}`] : [];
  return [...answered, back > 0 ? `${back} credits came back` : 'nothing was charged for it'].join('; ');
}
