import { readFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import { reportsUnits } from '../../base/config/config.ts';
import { maskedText } from '../../control/mask/masked-text.ts';
import type { AccountOrder } from '../client-records.ts';
import { type AccountClient, EmulatorClient } from '../emulator-client.ts';

/** A test as its runner names it. */
export interface TestName {
  /** The titles that lead to it, from the outermost on. */
  titles: readonly string[];
  /** Its source file, as far as its runner names it. */
  file: string;
  line?: number | undefined;
  /** The runner tries it again. */
  retry?: boolean | undefined;
}

export function nameOf({ titles }: TestName): string {
  return titles.join(' > ');
}

/** What a test ended with. */
export interface TestEnd {
  outcome: 'passed' | 'failed' | 'skipped';
  /** The first error, where its runner says it. */
  error?: string | undefined;
}

/** A test that runs, and the accounts that were made for it. */
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

  /** A new account that belongs to it. */
  async account(order: AccountOrder = {}): Promise<AccountClient> {
    const opening = this.#opened(order);
    this.#first ??= opening.catch(() => undefined);
    const account = await opening;
    this.accounts.push(account);
    return account;
  }

  /** Reports how it ended, to a run that asks for it. Rejects never: no failure of its own hides that of the test. */
  async end({ outcome, error }: TestEnd): Promise<void> {
    const unitId = (await this.#first)?.unitId;
    if (unitId === undefined) return;
    const said = error === undefined ? {} : { error: maskedText(stripVTControlCharacters(error)).slice(0, MOST_ERROR) };
    await this.#emulator.control.endUnit({ id: unitId, outcome, ...said }).catch(() => undefined);
  }

  async #opened(order: AccountOrder): Promise<AccountClient> {
    if (!reportsUnits()) return this.#open(order);
    const unitId = (await this.#first)?.unitId;
    return this.#open({ ...order, ...(unitId === undefined ? { unit: unitOf(this.name) } : { unitId }) });
  }
}

const MOST_ERROR = 2000;

function unitOf(test: TestName): NonNullable<AccountOrder['unit']> {
  const { titles, file, retry, line = lineOf(file, titles.at(-1) ?? '') } = test;
  return { name: nameOf(test) || 'a test', ...(file ? { file } : {}), ...(line ? { line } : {}), retry };
}

/** Where a title is written in its file, from 1; undefined where it is not, or more than once. */
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

/** The client of a suite: an account that is made while one test alone runs belongs to that test. */
export class SuiteClient extends EmulatorClient {
  readonly #running = new Set<SuiteTest>();

  /** The one test that runs; undefined where several do, or none. */
  get #alone(): SuiteTest | undefined {
    const [test, ...others] = this.#running;
    return others.length === 0 ? test : undefined;
  }

  override account(order: AccountOrder = {}): Promise<AccountClient> {
    return this.#alone?.account(order) ?? super.account(order);
  }

  /** Rejects where no further test may begin. */
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
