import { expect as plainExpect, test as plainTest } from '@playwright/test';
import type { AccountClient } from '../client/account-client.ts';
import type { InboxClient } from '../client/client-parts.ts';
import type { EmulatorClient } from '../client/emulator-client.ts';
import type { ConfigOptions } from '../config/config.ts';
import { accountMatchers } from './account-matchers.ts';
import { type AccountFixture, failureStory, failureTrace, openAccount, openEmulator } from './suite-fixtures.ts';

export { expectSpend } from '../testing/spend.ts';
export type { AccountFixture } from './suite-fixtures.ts';

interface TestFixtures {
  /** What `account` is: by default 1,000 credits on the studio plan. */
  accountOptions: AccountFixture;
  /** New for each test, and called as it. When the test fails, its requests and its trace are attached, and written to `svc-traces/`. */
  account: AccountClient;
  /** A receiver of webhooks, new for each test. */
  inbox: InboxClient;
}

interface WorkerFixtures {
  /** Options of the emulator that is started where none runs: those of `startEmulator`. */
  emulatorOptions: ConfigOptions;
  /** One for all tests of a worker; under `svc-emulator exec` the one that this has started. */
  emulator: EmulatorClient;
}

/** Playwright's `test` with three fixtures, and their defaults as options that `test.use` or the configuration sets. */
export const test = plainTest.extend<TestFixtures, WorkerFixtures>({
  emulatorOptions: [{}, { scope: 'worker', option: true }],
  emulator: [
    async ({ emulatorOptions }, use) => {
      const { emulator, close } = await openEmulator(emulatorOptions);
      await use(emulator);
      await close();
    },
    { scope: 'worker' },
  ],
  accountOptions: [{}, { option: true }],
  account: async ({ emulator, accountOptions }, use, testInfo) => {
    const test = { name: testInfo.titlePath.slice(1).join(' > '), file: testInfo.file };
    const account = await openAccount(emulator, test.name, accountOptions);
    await use(account);
    if (testInfo.status === testInfo.expectedStatus) return;
    const trace = await failureTrace(emulator, account, test);
    const body = await failureStory(emulator, account, trace);
    await testInfo.attach('requests', { body, contentType: 'text/plain' });
    if ('file' in trace) await testInfo.attach('svc-trace', { path: trace.file, contentType: 'text/html' });
  },
  inbox: async ({ emulator, account }, use) => use(emulator.inbox(account.id)),
});

/** Playwright's `expect` with `toHaveSpent`, `toHaveDelivered` and `toHaveFailed`. */
export const expect = plainExpect.extend(accountMatchers);
