import { type AccountMatchers, accountMatchers } from './account-matchers.ts';
import { SuiteHooks, type SuiteOptions } from './suite-hooks.ts';

export { expectSpend } from '../testing/spend.ts';
export type { AccountFixture } from './suite-fixtures.ts';
export type { SuiteHooks, SuiteOptions } from './suite-hooks.ts';

declare global {
  namespace jest {
    // biome-ignore lint/complexity/noBannedTypes: the interface that is extended has this very parameter
    interface Matchers<R, T = {}> extends AccountMatchers<R> {}
  }
}

/** What Jest lays into the global scope of every test file. */
interface JestScope {
  beforeAll(hook: () => Promise<void>): void;
  beforeEach(hook: () => Promise<void>): void;
  afterAll(hook: () => Promise<void>): void;
  expect: { extend(matchers: object): void; getState(): { currentTestName?: string } };
}

/**
 * Fixtures for the tests of a file: `const svc = emulatorFixtures()` beside them, then `svc.emulator`, `svc.account` and
 * `svc.inbox` in each. With the matchers `toHaveSpent`, `toHaveDelivered` and `toHaveFailed`.
 */
export function emulatorFixtures(options: SuiteOptions = {}): SuiteHooks {
  const hooks = new SuiteHooks(options);
  // Declaring them would contradict @types/jest where the suite has it.
  const { beforeAll, beforeEach, afterAll, expect } = globalThis as unknown as JestScope;
  expect.extend(accountMatchers);
  beforeAll(() => hooks.begin());
  beforeEach(() => hooks.open(expect.getState().currentTestName ?? ''));
  afterAll(() => hooks.end());
  return hooks;
}
