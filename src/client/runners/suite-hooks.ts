import type { ConfigOptions } from '../../base/config/config.ts';
import type { InboxClient } from '../client-parts.ts';
import type { AccountClient, EmulatorClient } from '../emulator-client.ts';
import { expectSpend, type WantedSpend, wantedSpend } from '../spend.ts';
import type { SuiteTest, TestEnd, TestName } from './suite-client.ts';
import {
  type AccountFixture,
  beginTest,
  endTest,
  type OpenEmulator,
  openAccount,
  openEmulator,
  type TestFailure,
} from './suite-fixtures.ts';

/** How the fixtures of a file are made. */
export interface SuiteOptions {
  /** Of the emulator that is started where none runs. */
  emulator?: ConfigOptions;
  /** Of the account that each test gets. */
  account?: AccountFixture;
}

/** What there is of a test as far as it could begin. */
interface RunningTest {
  test?: SuiteTest;
  account?: AccountClient;
  inbox?: InboxClient;
}

/** The fixtures of the test that runs, for runners that know hooks only. Reading one outside of a test throws. */
export class SuiteHooks {
  readonly #options: SuiteOptions;
  #open: OpenEmulator | undefined;
  /** The test that runs, behind those that it is a part of. */
  readonly #running: RunningTest[] = [];

  constructor(options: SuiteOptions) {
    this.#options = options;
  }

  /** One for all tests of a file; under `svc-emulator exec` the one that this has started. */
  get emulator(): EmulatorClient {
    return present(this.#open?.emulator, 'emulator');
  }

  /** New for each test, also for one inside of another, and called as it: by default 1,000 credits on the studio plan. */
  get account(): AccountClient {
    return present(this.#running.at(-1)?.account, 'account');
  }

  /** A receiver of webhooks, new for each test. */
  get inbox(): InboxClient {
    const running = present(this.#running.at(-1), 'inbox');
    running.inbox ??= this.emulator.inbox(this.account.id);
    return running.inbox;
  }

  /**
   * A test whose work on `account`, renders included, has to cost so much: `test('a song', svc.spends(24, async () => …))`.
   * It fails with the rows of the ledger. Throws a `TypeError` for what is no spend.
   */
  spends<A extends unknown[]>(
    credits: number | WantedSpend,
    test: (...args: A) => unknown,
  ): (...args: A) => Promise<void> {
    const wanted = wantedSpend(credits);
    return async (...args) => {
      await expectSpend(this.account, wanted, () => test(...args));
    };
  }

  /** Before the tests of a file. */
  async begin(): Promise<void> {
    this.#open = await openEmulator(this.#options.emulator);
  }

  /** Before each of them. */
  async open(name: TestName): Promise<void> {
    const running: RunningTest = {};
    this.#running.push(running);
    running.test = await beginTest(this.emulator, name);
    running.account = await openAccount(this.emulator, running.test, this.#options.account);
  }

  /** After each; of one that has failed its trace is written, and what is printed below it is returned. */
  async close(end: TestEnd): Promise<TestFailure> {
    const { test } = this.#running.pop() ?? {};
    return test ? endTest(this.emulator, test, end) : { story: '' };
  }

  /** After all. */
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
