import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { areTimersReplaced } from '../../base/clock/real-globals.ts';
import {
  bypassProxyForLoopback,
  type ConfigOptions,
  controlTokenFromEnv,
  emulatorUrlFromEnv,
  isRunOfCheck,
  shouldReportTestsToEmulator,
} from '../../base/config/config.ts';
import { secretValuesInEnvironment } from '../../base/config/secret-values.ts';
import { changedLines, isShortenedError } from '../../base/output/output-line.ts';
import { escapeInvisibleCharacters } from '../../base/text.ts';
import { maskText } from '../../control/mask/mask.ts';
import { describeAccountActivity } from '../account-activity.ts';
import type { AccountSettings, Plan } from '../client-records.ts';
import { type AccountClient, EmulatorClient } from '../emulator-client.ts';
import { startEmulator } from '../local-emulator.ts';
import { BUILT_IN_ERROR_NAME, markThrownByApp, originLine } from './error-origin.ts';
import { saveTraceInFolder } from './trace-folder.ts';

/** Default: 1,000 credits on the studio plan, with the usual progression. */
export interface AccountFixtureOptions {
  plan?: Plan;
  credits?: number;
  progression?: AccountSettings['progression'];
}

export interface TestIdentity {
  titles: readonly string[];
  file: string;
  line?: number | undefined;
  retry?: boolean | undefined;
}

export interface TestResult {
  outcome: 'passed' | 'failed' | 'skipped';
  error?: string | undefined;
}

const MAX_CAUSES = 4;

/** The names of errors of assertions and control operations. */
const NOT_OF_THE_APP = /^(?:AssertionError|ControlError)$/;

/**
 * The message of an error with its causes, by which `check` recognizes an app that reports a lost connection. Marked if
 * the app seems to have thrown the error. Undefined if the error has no message.
 */
export function errorText(error: unknown): string | undefined {
  const { name, stack, matcherResult, generatedMessage, actual, expected, diff } = Object(error) as Record<
    string,
    unknown
  >;
  const said = withCauses(error);
  // If the test gave a message, node:assert leaves out the compared values. Vitest shortens objects in messages.
  const compared =
    generatedMessage === false ? `${actual} !== ${expected}` : isShortenedError(said ?? '') ? changesIn(diff) : '';
  const text = compared === '' ? said : `${said}\n${compared}`;
  const isAsserted = matcherResult !== undefined || text?.startsWith('Expected ');
  if (text === undefined || typeof name !== 'string' || isAsserted || NOT_OF_THE_APP.test(name)) return text;
  // An app reports a loss with an error of its own.
  return BUILT_IN_ERROR_NAME.test(name) ? text + originLine(stack) : markThrownByApp(text);
}

function changesIn(diff: unknown): string {
  const lines = typeof diff === 'string' ? stripVTControlCharacters(diff).split('\n') : [];
  return changedLines(lines).join('\n');
}

function withCauses(error: unknown, most = MAX_CAUSES): string | undefined {
  const { message, cause } = Object(error) as { message?: unknown; cause?: unknown };
  if (typeof message !== 'string') return undefined;
  const origin = most === 0 ? undefined : withCauses(cause, most - 1);
  return origin === undefined ? message : `${message}\nCaused by ${origin}`;
}

export interface OpenEmulator {
  emulator: SuiteClient;
  close(): Promise<void>;
}

const REPLACED_TIMERS =
  'The timers of this process were replaced before svc-emulator was loaded, so nothing would ever end. Turn fake timers on in the test, after svc-emulator is imported, and not in a setup file.';

const NAME_LIMIT = 200;

/**
 * Uses the emulator of `svc-emulator exec`, or starts one with these options. A job of a started emulator becomes final
 * as soon as it is rendered, unless `settleAfter` is set.
 */
export async function openEmulator(options: ConfigOptions = {}): Promise<OpenEmulator> {
  if (areTimersReplaced) throw new Error(REPLACED_TIMERS);
  bypassProxyForLoopback();
  const running = emulatorUrlFromEnv();
  if (running) return { emulator: new SuiteClient(running, controlTokenFromEnv()), close: async () => {} };
  const emulator = await startEmulator({ settleAfter: '0', ...options });
  return { emulator: new SuiteClient(emulator.url, options.controlToken), close: () => emulator.close() };
}

/** `emulator` may also be a client that the suite itself created in place of the fixture. */
export async function beginTest(emulator: EmulatorClient, name: TestIdentity): Promise<SuiteTest> {
  if (emulator instanceof SuiteClient) return emulator.begin(name);
  return new SuiteTest(name, emulator, (order) => emulator.account(order));
}

/**
 * Writes the trace of a failed test that has an account, except under `check`. Sets `forgotten` if a passed test did
 * not await an assertion.
 */
export async function endTest(emulator: EmulatorClient, test: SuiteTest, ended: TestResult): Promise<TestEndReport> {
  const forgotten = ended.outcome === 'passed' ? await forgottenIn(test) : undefined;
  const end: TestResult = forgotten === undefined ? ended : { outcome: 'failed', error: forgotten };
  await (emulator instanceof SuiteClient ? emulator.end(test, end) : test.end(end));
  const failure = end.outcome === 'failed' ? await failureOf(emulator, test, end) : { story: '' };
  return { ...failure, forgotten };
}

async function forgottenIn({ accounts }: SuiteTest): Promise<string | undefined> {
  const found = await Promise.all(accounts.map(({ assertions }) => assertions.forgotten()));
  return found.find((each) => each !== undefined);
}

export function requireNoForgottenCalls({ forgotten }: TestEndReport): void {
  if (forgotten !== undefined) throw new Error(forgotten);
}

export function openAccount(
  test: SuiteTest,
  { plan = 'studio', credits = 1000, progression }: AccountFixtureOptions = {},
): Promise<AccountClient> {
  return test.account({ name: cut(nameOf(test.name), NAME_LIMIT), plan, credits, progression });
}

function nameOf({ titles }: TestIdentity): string {
  return titles.join(' > ');
}

export class SuiteTest {
  readonly name: TestIdentity;
  readonly accounts: AccountClient[] = [];
  readonly #emulator: EmulatorClient;
  readonly #open: (order: AccountSettings) => Promise<AccountClient>;
  #first: Promise<AccountClient | undefined> | undefined;

  constructor(name: TestIdentity, emulator: EmulatorClient, open: (order: AccountSettings) => Promise<AccountClient>) {
    this.name = name;
    this.#emulator = emulator;
    this.#open = open;
  }

  async account(order: AccountSettings = {}): Promise<AccountClient> {
    const opening = this.#opened(order);
    this.#first ??= opening.catch(() => undefined);
    const account = await opening;
    this.accounts.push(account);
    return account;
  }

  /** Never rejects, because its error would hide that of the test. */
  async end({ outcome, error }: TestResult): Promise<void> {
    const testId = (await this.#first)?.testId;
    if (testId === undefined) return;
    const said = error === undefined ? {} : { error: maskText(stripVTControlCharacters(error)).slice(0, MAX_ERROR) };
    await this.#emulator.control.endTest({ id: testId, outcome, ...said }).catch(() => undefined);
  }

  async #opened(order: AccountSettings): Promise<AccountClient> {
    if (!shouldReportTestsToEmulator()) return this.#open(order);
    const testId = (await this.#first)?.testId;
    return this.#open({ ...order, ...(testId === undefined ? { test: orderOf(this.name) } : { testId }) });
  }
}

const MAX_ERROR = 2000;

function orderOf(test: TestIdentity): NonNullable<AccountSettings['test']> {
  const { titles, file, retry, line = lineOf(file, titles.at(-1) ?? '') } = test;
  return { name: nameOf(test) || 'a test', ...(file ? { file } : {}), ...(line ? { line } : {}), retry };
}

/** The line of a test in its file, from 1. Undefined if the title is not in the file, or occurs more than once. */
function lineOf(file: string, title: string): number | undefined {
  try {
    const lines = readFileSync(file, 'utf8').split('\n');
    const isQuoted = (line: string) => ["'", '"', '`'].some((quote) => line.includes(quote + title + quote));
    const found = lines.flatMap((line, index) => (isQuoted(line) ? [index + 1] : []));
    return found.length === 1 ? found[0] : undefined;
  } catch {
    return undefined;
  }
}

/** An account that is created while only one test runs belongs to that test. */
class SuiteClient extends EmulatorClient {
  readonly #running = new Set<SuiteTest>();

  get #alone(): SuiteTest | undefined {
    const [test, ...others] = this.#running;
    return others.length === 0 ? test : undefined;
  }

  override account(order: AccountSettings = {}): Promise<AccountClient> {
    return this.#alone?.account(order) ?? super.account(order);
  }

  async begin(name: TestIdentity): Promise<SuiteTest> {
    const test = new SuiteTest(name, this, (order) => super.account(order));
    this.#running.add(test);
    return test;
  }

  async end(test: SuiteTest, end: TestResult): Promise<void> {
    this.#running.delete(test);
    await test.end(end);
  }
}

const TRACES = 'svc-traces';
const MAX_ERROR_LENGTH = 4000;
/** In bytes. Most file systems limit a name to 255 bytes. */
const NAME_OF_FILE = 150;

export interface TestEndReport {
  story: string;
  page?: string;
  forgotten?: string | undefined;
}

/** Never rejects, because its error would hide that of the test. */
async function failureOf(
  emulator: EmulatorClient,
  test: SuiteTest,
  { error: said = 'The test failed.' }: TestResult,
): Promise<TestEndReport> {
  const [first] = test.accounts;
  if (!first) return { story: '' };
  const stories = test.accounts.map((account) =>
    describeAccountActivity(emulator, account).catch((error: Error) => `Requests of ${account.id}: ${error.message}`),
  );
  const requests = escapeInvisibleCharacters((await Promise.all(stories)).join('\n'));
  if (isRunOfCheck()) return { story: requests };
  try {
    const page = await emulator.trace({
      account: first,
      title: cut(nameOf(test.name), NAME_LIMIT),
      failure: cut(maskText(stripVTControlCharacters(said)), MAX_ERROR_LENGTH),
      // The secrets of this process, because the emulator of `exec` may have another environment.
      secrets: secretValuesInEnvironment(),
    });
    const file = saveTraceInFolder(TRACES, fileOf(test.name, first.id), { html: page, title: nameOf(test.name) });
    return { story: `${requests}\nTrace: ${file}`, page };
  } catch (error) {
    return { story: `${requests}\nNo trace was written: ${(error as Error).message}` };
  }
}

function fileOf(test: TestIdentity, accountId: string): string {
  const name = nameOf(test);
  const mark = createHash('sha256')
    .update(`${path.relative('.', test.file)} ${name} ${accountId}`)
    .digest('hex')
    .slice(0, 6);
  let words = cut(name.match(/[\p{L}\p{N}]+/gu)?.join('-') ?? '', NAME_OF_FILE);
  while (Buffer.byteLength(words) > NAME_OF_FILE) words = cut(words, [...words].length - 1);
  return `${words || 'test'}-${mark}.html`;
}

function cut(text: string, limit: number): string {
  return [...text].slice(0, limit).join('');
}
