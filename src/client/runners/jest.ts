import { type AccountMatchers, accountMatchers } from './account-matchers.ts';
import type { TestEnd, TestName } from './suite-client.ts';
import { requireAwaited } from './suite-fixtures.ts';
import { SuiteHooks, type SuiteOptions } from './suite-hooks.ts';

export { expectSpend } from '../spend.ts';
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
  beforeEach(() => hooks.open(nameIn(expect.getState())));
  afterEach(async () => {
    const failure = await hooks.close(currentEnd());
    if (failure.story) console.log(failure.story);
    requireAwaited(failure);
  });
  afterAll(() => hooks.end());
  return hooks;
}

/** What Jest's runner notes of the test that runs; the outermost block has no parent. */
interface RunningTest {
  name: string;
  parent: { name: string; parent?: RunningTest['parent'] } | undefined;
  /** How often it was tried. */
  invocations: number;
  /** It is expected to fail. */
  failing?: boolean;
  /** Each with the error that shows where it comes from, or alone. */
  errors: readonly unknown[];
}

/** Jest does not pass it to its hooks; the state of its runner, in the global scope, has it. */
function runningTest(): RunningTest | undefined {
  const place = Object.getOwnPropertySymbols(globalThis).find((each) => each.description === 'JEST_STATE_SYMBOL');
  const state: { currentlyRunningTest?: RunningTest | null } | undefined = place && Reflect.get(globalThis, place);
  return state?.currentlyRunningTest ?? undefined;
}

function nameIn({ currentTestName = '', testPath = '' }: ReturnType<JestScope['expect']['getState']>): TestName {
  const running = runningTest();
  if (!running) return { titles: [currentTestName], file: testPath };
  const titles = [running.name];
  for (let block = running.parent; block?.parent; block = block.parent) titles.unshift(block.name);
  return { titles, file: testPath, retry: running.invocations > 1 };
}

function currentEnd(): TestEnd {
  const { errors = [], failing = false } = runningTest() ?? {};
  const hasFailed = errors.length > 0;
  if (hasFailed === failing) return { outcome: 'passed' };
  const [first] = [errors[0]].flat();
  const { message }: { message?: unknown } = Object(first);
  return { outcome: 'failed', ...(typeof message === 'string' ? { error: message } : {}) };
}
