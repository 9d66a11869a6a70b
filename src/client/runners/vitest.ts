import { expect, test as plainTest, type RunnerTestCase, type TestAPI } from 'vitest';
import { type ConfigOptions, shouldReportTestsToEmulator } from '../../base/config/config.ts';
import type { InboxClient } from '../client-parts.ts';
import type { AccountClient, EmulatorClient } from '../emulator-client.ts';
import { asExpectedSpend, type ExpectedSpend, expectTotalSpend } from '../spend.ts';
import { type AccountMatchers, accountMatchers } from './account-matchers.ts';
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
import { requireSupportedVitest } from './vitest-version.ts';

export { expectSpend } from '../spend.ts';
export type { AccountFixtureOptions } from './suite-fixtures.ts';

requireSupportedVitest();

/**
 * Vitest's `test` with the fixtures `emulator`, `account` and `inbox`. Their options are fixtures too: `test.extend({
 * accountOptions: { plan: 'payg', credits: 50 } })`.
 */
export const test = plainTest
  .extend<{
    /** Options of `startEmulator`. Not used if `SVC_BASE_URL` names an emulator, as under `exec`. */
    emulatorOptions: ConfigOptions;
    /** One emulator for all tests of a worker, or the one of `svc-emulator exec`. */
    emulator: EmulatorClient;
  }>({
    emulatorOptions: [{}, { scope: 'worker' }],
    emulator: [
      async ({ emulatorOptions }, use) => {
        const { emulator, close } = await openEmulator(emulatorOptions);
        await use(emulator);
        await close();
      },
      { scope: 'worker' },
    ],
  })
  .extend<{ suiteTest: SuiteTest }>({
    suiteTest: [
      async ({ emulator, onTestFinished, task }, use) => {
        const running = await beginTest(emulator, nameIn(task));
        onTestFinished(async () => {
          const failure = await endTest(emulator, running, endOf(task));
          if (failure.story) console.log(failure.story);
          requireNoForgottenCalls(failure);
        });
        await use(running);
      },
      { auto: shouldReportTestsToEmulator() },
    ],
  })
  .extend<{
    /** The settings of `account`. Default: 1,000 credits on the studio plan. */
    accountOptions: AccountFixtureOptions;
    /** An account for each test, with its name. A failed test prints its requests and writes a trace to `svc-traces/`. */
    account: AccountClient;
    inbox: InboxClient;
  }>({
    accountOptions: {},
    account: async ({ accountOptions, suiteTest }, use) => use(await openAccount(suiteTest, accountOptions)),
    inbox: ({ emulator, account }, use) => use(emulator.inbox(account.id)),
  });

/**
 * A `test` that must cost this much, renders included: `spends(24, test)('a song', …)`. A failure shows the ledger.
 * Throws `TypeError` for an invalid amount.
 */
export function spends<C extends { account: AccountClient }>(
  credits: number | ExpectedSpend,
  of: TestAPI<C>,
): TestAPI<{ spendCheck: undefined } & C> {
  const wanted = asExpectedSpend(credits);
  return of.extend<{ $test: { spendCheck: undefined } }>({
    spendCheck: [
      async ({ account, task }, use) => {
        await use(undefined);
        if (task.result?.state !== 'fail') await expectTotalSpend(account, wanted);
      },
      { auto: true },
    ],
  });
}

function nameIn({ name, suite, file, location, result }: RunnerTestCase): TestIdentity {
  const titles = [name];
  for (let block = suite; block; block = block.suite) titles.unshift(block.name);
  const tries = (result?.retryCount ?? 0) + (result?.repeatCount ?? 0);
  return { titles: titles.filter(Boolean), file: file.filepath, line: location?.line, retry: tries > 0 };
}

/** Inverts the outcome of a test that is expected to fail, because the runner does so only later. */
function endOf({ result, fails = false }: RunnerTestCase): TestResult {
  if (result?.state === 'skip') return { outcome: 'skipped' };
  const hasFailed = result?.state === 'fail';
  if (hasFailed === fails) return { outcome: 'passed' };
  return { outcome: 'failed', error: errorText(result?.errors?.[0]) };
}

declare global {
  namespace Chai {
    // Vitest's own interfaces have other type parameters in each major version.
    interface Assertion extends AccountMatchers<void> {}
  }
}

expect.extend(accountMatchers);
