import { type AccountMatchers, accountMatchers } from './account-matchers.ts';
import { SuiteHooks, type SuiteOptions } from './suite-hooks.ts';

export { expectSpend } from '../testing/spend.ts';
export type { AccountFixture } from './suite-fixtures.ts';
export type { SuiteHooks, SuiteOptions } from './suite-hooks.ts';

declare global {
  namespace jest {
    // What the parameters are when they are left out, the interface that is extended says.
    interface Matchers<R, T> extends AccountMatchers<R> {}
  }
}

/** What Jest lays into the global scope of every test file. */
interface JestScope {
  beforeAll(hook: () => Promise<void>): void;
  beforeEach(hook: () => Promise<void>): void;
  afterEach(hook: () => Promise<void>): void;
  afterAll(hook: () => Promise<void>): void;
  expect: { extend(matchers: object): void; getState(): { currentTestName?: string; testPath?: string } };
}

/**
 * Fixtures for the tests of a file: `const svc = emulatorFixtures()` beside them, then `svc.emulator`, `svc.account` and
 * `svc.inbox` in each. With the matchers `toHaveSpent`, `toHaveDelivered` and `toHaveFailed`. When a test fails, its
 * requests are printed, and written to `svc-traces/`.
 */
export function emulatorFixtures(options: SuiteOptions = {}): SuiteHooks {
  const hooks = new SuiteHooks(options);
  // Declaring them would contradict @types/jest where the suite has it.
  const { beforeAll, beforeEach, afterEach, afterAll, expect } = globalThis as typeof globalThis & JestScope;
  expect.extend(accountMatchers);
  beforeAll(() => hooks.begin());
  beforeEach(() => {
    const { currentTestName: name = '', testPath: file = '' } = expect.getState();
    return hooks.open({ name, file });
  });
  afterEach(async () => {
    if (hasFailed()) console.log(await hooks.story());
  });
  afterAll(() => hooks.end());
  return hooks;
}

/** What Jest's runner notes of the test that runs. */
interface RunnerState {
  currentlyRunningTest?: { errors?: readonly unknown[] } | null;
}

/** Jest does not pass it to its hooks; the state of its runner, in the global scope, has it. */
function hasFailed(): boolean {
  const place = Object.getOwnPropertySymbols(globalThis).find((each) => each.description === 'JEST_STATE_SYMBOL');
  const state: RunnerState | undefined = place && Reflect.get(globalThis, place);
  return (state?.currentlyRunningTest?.errors?.length ?? 0) > 0;
}
