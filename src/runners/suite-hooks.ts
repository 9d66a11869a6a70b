import type { AccountClient } from '../client/account-client.ts';
import type { InboxClient } from '../client/client-parts.ts';
import type { EmulatorClient } from '../client/emulator-client.ts';
import type { ConfigOptions } from '../config/config.ts';
import {
  type AccountFixture,
  failureStory,
  failureTrace,
  type OpenEmulator,
  openAccount,
  openEmulator,
  type TestName,
} from './suite-fixtures.ts';

/** How the fixtures of a file are made. */
export interface SuiteOptions {
  /** Of the emulator that is started where none runs. */
  emulator?: ConfigOptions;
  /** Of the account that each test gets. */
  account?: AccountFixture;
}

/** The fixtures of the test that runs, for runners that know hooks only. Reading one outside of a test throws. */
export class SuiteHooks {
  readonly #options: SuiteOptions;
  #open: OpenEmulator | undefined;
  #account: AccountClient | undefined;
  #test: TestName = { name: '', file: '' };

  constructor(options: SuiteOptions) {
    this.#options = options;
  }

  /** One for all tests of a file; under `svc-emulator exec` the one that this has started. */
  get emulator(): EmulatorClient {
    return present(this.#open?.emulator, 'emulator');
  }

  /** New for each test, and called as it: by default 1,000 credits on the studio plan. */
  get account(): AccountClient {
    return present(this.#account, 'account');
  }

  /** A receiver of webhooks, new for each test. */
  get inbox(): InboxClient {
    return this.emulator.inbox(this.account.id);
  }

  /** Before the tests of a file. */
  async begin(): Promise<void> {
    this.#open = await openEmulator(this.#options.emulator);
  }

  /** Before each of them. */
  async open(test: TestName): Promise<void> {
    this.#test = test;
    this.#account = await openAccount(this.emulator, test.name, this.#options.account);
  }

  /** After each that has failed: writes its trace; prints its requests for the reader of the output. */
  async story(): Promise<string> {
    const trace = await failureTrace(this.emulator, this.account, this.#test);
    return failureStory(this.emulator, this.account, trace);
  }

  /** After all. */
  async end(): Promise<void> {
    const open = this.#open;
    this.#open = undefined;
    this.#account = undefined;
    await open?.close();
  }
}

function present<T>(fixture: T | undefined, name: string): T {
  if (fixture !== undefined) return fixture;
  throw new Error(`${name} is there while a test runs; read it inside of a test or a beforeEach, not beside it.`);
}
