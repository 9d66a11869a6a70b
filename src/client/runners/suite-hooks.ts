import type { ConfigOptions } from '../../base/config/config.ts';
import type { InboxClient } from '../client-parts.ts';
import type { AccountClient, EmulatorClient } from '../emulator-client.ts';
import { asExpectedSpend, type ExpectedSpend, expectSpend } from '../spend.ts';
import {
  type AccountFixtureOptions,
  beginTest,
  endTest,
  type OpenEmulator,
  openAccount,
  openEmulator,
  type SuiteTest,
  type TestEndReport,
  type TestIdentity,
  type TestResult,
} from './suite-fixtures.ts';

export interface SuiteOptions {
  emulator?: ConfigOptions;
  account?: AccountFixtureOptions;
}

interface RunningTest {
  test?: SuiteTest;
  account?: AccountClient;
  inbox?: InboxClient;
}

/** The fixtures of the current test, for runners that only have hooks. `account` and `inbox` throw outside a test. */
export class SuiteHooks {
  readonly #options: SuiteOptions;
  #open: OpenEmulator | undefined;
  /** The running tests. The last one is the current test, and the others contain it. */
  readonly #running: RunningTest[] = [];

  constructor(options: SuiteOptions) {
    this.#options = options;
  }

  get emulator(): EmulatorClient {
    return present(this.#open?.emulator, 'emulator');
  }

  get account(): AccountClient {
    return present(this.#running.at(-1)?.account, 'account');
  }

  get inbox(): InboxClient {
    const running = present(this.#running.at(-1), 'inbox');
    running.inbox ??= this.emulator.inbox(this.account.id);
    return running.inbox;
  }

  /**
   * A test whose work on `account` must cost this much, renders included: `test('a song', svc.spends(24, async () =>
   * …))`. A failure shows the ledger. Throws `TypeError` for an invalid amount.
   */
  spends<A extends unknown[]>(
    credits: number | ExpectedSpend,
    test: (...args: A) => unknown,
  ): (...args: A) => Promise<void> {
    const wanted = asExpectedSpend(credits);
    return async (...args) => {
      await expectSpend(this.account, wanted, () => test(...args));
    };
  }

  async begin(): Promise<void> {
    this.#open = await openEmulator(this.#options.emulator);
  }

  async open(name: TestIdentity): Promise<void> {
    const running: RunningTest = {};
    this.#running.push(running);
    running.test = await beginTest(this.emulator, name);
    running.account = await openAccount(running.test, this.#options.account);
  }

  async close(end: TestResult): Promise<TestEndReport> {
    const { test } = this.#running.pop() ?? {};
    return test ? endTest(this.emulator, test, end) : { story: '' };
  }

  async end(): Promise<void> {
    const open = this.#open;
    this.#open = undefined;
    this.#running.length = 0;
    await open?.close();
  }
}

function present<T>(fixture: T | undefined, name: string): T {
  if (fixture !== undefined) return fixture;
  throw new Error(`${name} exists only while a test runs; read it inside a test or a beforeEach.`);
}
