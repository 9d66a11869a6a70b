import { readFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import { reportsTests } from '../../base/config/config.ts';
import { maskedText } from '../../control/mask/mask.ts';
import type { AccountOrder } from '../client-records.ts';
import { type AccountClient, EmulatorClient } from '../emulator-client.ts';

export interface TestName {
  /** Outermost first. */
  titles: readonly string[];
  file: string;
  line?: number | undefined;
  retry?: boolean | undefined;
}

export function nameOf({ titles }: TestName): string {
  return titles.join(' > ');
}

export interface TestEnd {
  outcome: 'passed' | 'failed' | 'skipped';
  error?: string | undefined;
}

export class SuiteTest {
  readonly name: TestName;
  readonly accounts: AccountClient[] = [];
  readonly #emulator: EmulatorClient;
  readonly #open: (order: AccountOrder) => Promise<AccountClient>;
  #first: Promise<AccountClient | undefined> | undefined;

  constructor(name: TestName, emulator: EmulatorClient, open: (order: AccountOrder) => Promise<AccountClient>) {
    this.name = name;
    this.#emulator = emulator;
    this.#open = open;
  }

  async account(order: AccountOrder = {}): Promise<AccountClient> {
    const opening = this.#opened(order);
    this.#first ??= opening.catch(() => undefined);
    const account = await opening;
    this.accounts.push(account);
    return account;
  }

  /** Never rejects, because its error would hide that of the test. */
  async end({ outcome, error }: TestEnd): Promise<void> {
    const testId = (await this.#first)?.testId;
    if (testId === undefined) return;
    const said = error === undefined ? {} : { error: maskedText(stripVTControlCharacters(error)).slice(0, MOST_ERROR) };
    await this.#emulator.control.endTest({ id: testId, outcome, ...said }).catch(() => undefined);
  }

  async #opened(order: AccountOrder): Promise<AccountClient> {
    if (!reportsTests()) return this.#open(order);
    const testId = (await this.#first)?.testId;
    return this.#open({ ...order, ...(testId === undefined ? { test: orderOf(this.name) } : { testId }) });
  }
}

const MOST_ERROR = 2000;

function orderOf(test: TestName): NonNullable<AccountOrder['test']> {
  const { titles, file, retry, line = lineOf(file, titles.at(-1) ?? '') } = test;
  return { name: nameOf(test) || 'a test', ...(file ? { file } : {}), ...(line ? { line } : {}), retry };
}

/** From 1. Undefined if the title is not in the file, or more than once. */
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
export class SuiteClient extends EmulatorClient {
  readonly #running = new Set<SuiteTest>();

  /** Undefined if no test or several tests run. */
  get #alone(): SuiteTest | undefined {
    const [test, ...others] = this.#running;
    return others.length === 0 ? test : undefined;
  }

  override account(order: AccountOrder = {}): Promise<AccountClient> {
    return this.#alone?.account(order) ?? super.account(order);
  }

  /** Rejects if no further test may begin. */
  async begin(name: TestName): Promise<SuiteTest> {
    const test = new SuiteTest(name, this, (order) => super.account(order));
    this.#running.add(test);
    return test;
  }

  async end(test: SuiteTest, end: TestEnd): Promise<void> {
    this.#running.delete(test);
    await test.end(end);
  }
}
