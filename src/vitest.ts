import { expect, test as plainTest } from 'vitest';
import type { AccountClient } from './client/account-client.ts';
import type { EmulatorClient } from './client/emulator-client.ts';
import type { InboxClient } from './client/inbox-client.ts';
import { runningEmulator } from './config/config.ts';
import { connectEmulator, startEmulator } from './index.ts';
import { requestStory } from './testing/request-story.ts';
import { complaint, isAsWanted, totalSpend, type WantedSpend } from './testing/spend.ts';

export { expectSpend } from './testing/spend.ts';

/** What an account may be called, in characters. */
const NAME_LIMIT = 200;

/** Vitest's `test` with three fixtures for whoever asks for them: `emulator`, `account` and `inbox`. */
export const test = plainTest
  .extend<{
    /** One for all tests of a worker; under `svc-emulator exec` the one that this has started. */
    emulator: EmulatorClient;
  }>({
    emulator: [
      // biome-ignore lint/correctness/noEmptyPattern: Vitest reads from the pattern which fixtures are wanted
      async ({}, use) => {
        const running = runningEmulator();
        if (running) return use(connectEmulator(running));
        await using emulator = await startEmulator();
        await use(emulator);
      },
      { scope: 'worker' },
    ],
  })
  .extend<{
    /** New for each test, and called as it: 1,000 credits on the studio plan. When the test fails, its requests are printed. */
    account: AccountClient;
    /** A receiver of webhooks, new for each test. */
    inbox: InboxClient;
  }>({
    account: async ({ emulator, onTestFailed, task }, use) => {
      const name = [task.suite?.name, task.name].filter(Boolean).join(' > ');
      const order = { name: [...name].slice(0, NAME_LIMIT).join(''), plan: 'studio' } as const;
      const account = await emulator.account({ ...order, credits: 1000 });
      onTestFailed(async () => {
        const story = await requestStory(emulator, account);
        console.log(`Requests of ${account.id}:\n${story || '(none)'}`);
      });
      await use(account);
    },
    inbox: ({ emulator, account }, use) => use(emulator.inbox(account.id)),
  });

interface SpendMatchers<R> {
  /** What the account has spent since it was opened: credits net of refunds, and how many refunds. */
  toHaveSpent(wanted: WantedSpend): Promise<R>;
  /** An endpoint has answered 2xx to an event of that type. */
  toHaveDelivered(type: string): Promise<R>;
  /** A render of the account has failed, with that code where one is given. */
  toHaveFailed(code?: string): Promise<R>;
}

declare module 'vitest' {
  // biome-ignore lint/suspicious/noExplicitAny: the interface that is extended has this very parameter
  interface Matchers<T = any> extends SpendMatchers<T> {}
}

expect.extend({
  async toHaveSpent(account: AccountClient, wanted: WantedSpend) {
    const spend = await totalSpend(account);
    return { pass: isAsWanted(spend, wanted), message: () => complaint(spend, wanted) };
  },
  async toHaveDelivered(account: AccountClient, type: string) {
    const deliveries = await account.deliveries();
    const lines = deliveries.map((each) => `  ${each.type} to ${each.url}: ${each.error ?? each.status}`);
    return {
      pass: deliveries.some((each) => each.type === type && each.status === 'delivered'),
      message: () => told(`a delivered ${type}`, lines, 'nothing was sent'),
    };
  },
  async toHaveFailed(account: AccountClient, code?: string) {
    const jobs = await account.jobs();
    const lines = jobs.map((job) => `  ${job.id} ${job.status} ${job.error?.code ?? ''}`);
    return {
      pass: jobs.some(({ error }) => error && (code === undefined || error.code === code)),
      message: () => told(`a render that failed${code ? ` with ${code}` : ''}`, lines, 'no render'),
    };
  },
});

function told(wanted: string, lines: string[], none: string): string {
  return [`Looked for ${wanted}, and found:`, ...(lines.length === 0 ? [`  ${none}`] : lines)].join('\n');
}
