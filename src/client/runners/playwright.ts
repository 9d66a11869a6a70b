import { writeFileSync } from 'node:fs';
import { expect as plainExpect, test as plainTest, type TestInfo, type TestType } from '@playwright/test';
import { type ConfigOptions, shouldReportTestsToEmulator } from '../../base/config/config.ts';
import type { InboxClient } from '../client-parts.ts';
import type { AccountClient, EmulatorClient } from '../emulator-client.ts';
import { asExpectedSpend, type ExpectedSpend, expectTotalSpend } from '../spend.ts';
import { accountMatchers } from './account-matchers.ts';
import {
  type AccountFixtureOptions,
  beginTest,
  endTest,
  errorText,
  openAccount,
  openEmulator,
  requireNoForgottenCalls,
  type SuiteTest,
  type TestIdentity,
  type TestResult,
} from './suite-fixtures.ts';

export { expectSpend } from '../spend.ts';
export type { AccountFixtureOptions } from './suite-fixtures.ts';

interface TestFixtures {
  suiteTest: SuiteTest;
  /** The settings of `account`. Default: 1,000 credits on the studio plan. */
  accountOptions: AccountFixtureOptions;
  /**
   * An account for each test, with its name. A failed test attaches its requests and its trace, and also writes the
   * trace to `svc-traces/`.
   */
  account: AccountClient;
  inbox: InboxClient;
}

interface WorkerFixtures {
  /** Options of `startEmulator`. Not used if `SVC_BASE_URL` names an emulator, as under `exec`. */
  emulatorOptions: ConfigOptions;
  /** One emulator for all tests of a worker, or the one of `svc-emulator exec`. */
  emulator: EmulatorClient;
}

/** Playwright's `test` with three fixtures. `test.use` or the configuration sets their options. */
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
  suiteTest: [
    async ({ emulator }, use, testInfo) => {
      const running = await beginTest(emulator, nameIn(testInfo));
      await use(running);
      const failure = await endTest(emulator, running, endOf(testInfo));
      const { story, page } = failure;
      if (story) await testInfo.attach('requests', { body: story, contentType: 'text/plain' });
      if (page) await attachPage(testInfo, page);
      requireNoForgottenCalls(failure);
    },
    { auto: shouldReportTestsToEmulator(), box: 'self' },
  ],
  accountOptions: [{}, { option: true, box: 'self' }],
  account: async ({ accountOptions, suiteTest }, use) => use(await openAccount(suiteTest, accountOptions)),
  inbox: async ({ emulator, account }, use) => use(emulator.inbox(account.id)),
});

/**
 * A `test` whose account must have spent this much once its renders have ended: `spends(24, test)('a song', …)`. If the
 * test passes but the cost differs, it fails and shows the ledger.
 * Throws `TypeError` for an invalid amount.
 */
export function spends<T extends TestFixtures, W extends WorkerFixtures>(
  credits: number | ExpectedSpend,
  of: TestType<T, W>,
): TestType<T, W>;
export function spends(credits: number | ExpectedSpend, of: typeof test) {
  const wanted = asExpectedSpend(credits);
  return of.extend<{ spendCheck: undefined }>({
    spendCheck: [
      async ({ account }, use, { errors }) => {
        await use(undefined);
        if (errors.length === 0) await expectTotalSpend(account, wanted);
      },
      { auto: true },
    ],
  });
}

/** The page needs no other file, because Playwright copies it to its report. */
async function attachPage(testInfo: TestInfo, page: string): Promise<void> {
  const file = testInfo.outputPath('svc-trace.html');
  writeFileSync(file, page);
  await testInfo.attach('svc-trace', { path: file, contentType: 'text/html' });
}

function nameIn({ titlePath, file, line, retry }: TestInfo): TestIdentity {
  return { titles: titlePath.slice(1), file, line, retry: retry > 0 };
}

function endOf({ status, expectedStatus, error }: TestInfo): TestResult {
  if (status === 'skipped') return { outcome: 'skipped' };
  if (status === expectedStatus) return { outcome: 'passed' };
  return { outcome: 'failed', error: errorText(error) };
}

export const expect = plainExpect.extend(accountMatchers);
