import { type AccountMatchers, accountMatchers } from './account-matchers.ts';
import { errorText, requireNoForgottenCalls, type TestIdentity, type TestResult } from './suite-fixtures.ts';
import { SuiteHooks, type SuiteOptions } from './suite-hooks.ts';

export { expectSpend } from '../spend.ts';
export type { AccountFixtureOptions } from './suite-fixtures.ts';
export type { SuiteHooks, SuiteOptions } from './suite-hooks.ts';

declare global {
  namespace jest {
    // The type parameters must be those of the interface in @types/jest.
    interface Matchers<R, T> extends AccountMatchers<R> {}
  }
}

interface JestScope {
  beforeAll(hook: () => Promise<void>): void;
  beforeEach(hook: () => Promise<void>): void;
  afterEach(hook: () => Promise<void>): void;
  afterAll(hook: () => Promise<void>): void;
  expect: { extend(matchers: object): void; getState(): { currentTestName?: string; testPath?: string } };
}

/**
 * Fixtures for the tests of a file: `const svc = emulatorFixtures()`, then `svc.emulator`, `svc.account` and
 * `svc.inbox` in each test. Adds the matchers `toHaveSpent`, `toHaveDelivered` and `toHaveFailed`. A failed test
 * prints its requests and writes a trace to `svc-traces/`.
 */
export function emulatorFixtures(options: SuiteOptions = {}): SuiteHooks {
  const hooks = new SuiteHooks(options);
  // Reads Jest's globals without declaring them, because a declaration would contradict @types/jest.
  const { beforeAll, beforeEach, afterEach, afterAll, expect } = globalThis as typeof globalThis & JestScope;
  expect.extend(accountMatchers);
  beforeAll(() => hooks.begin());
  beforeEach(() => hooks.open(nameIn(expect.getState())));
  afterEach(async () => {
    const failure = await hooks.close(currentEnd());
    if (failure.story) console.log(failure.story);
    requireNoForgottenCalls(failure);
  });
  afterAll(() => hooks.end());
  return hooks;
}

interface RunningTest {
  name: string;
  parent: { name: string; parent?: RunningTest['parent'] } | undefined;
  invocations: number;
  failing?: boolean;
  /** Each item is an error, or an array of an error and another one that shows where it was thrown. */
  errors: readonly unknown[];
}

/** Jest passes no test to its hooks, but its runner keeps its state in the global scope. */
function runningTest(): RunningTest | undefined {
  const place = Object.getOwnPropertySymbols(globalThis).find((each) => each.description === 'JEST_STATE_SYMBOL');
  const state: { currentlyRunningTest?: RunningTest | null } | undefined = place && Reflect.get(globalThis, place);
  return state?.currentlyRunningTest ?? undefined;
}

function nameIn({ currentTestName = '', testPath = '' }: ReturnType<JestScope['expect']['getState']>): TestIdentity {
  const running = runningTest();
  if (!running) return { titles: [currentTestName], file: testPath };
  const titles = [running.name];
  for (let block = running.parent; block?.parent; block = block.parent) titles.unshift(block.name);
  return { titles, file: testPath, retry: running.invocations > 1 };
}

function currentEnd(): TestResult {
  const { errors = [], failing = false } = runningTest() ?? {};
  const hasFailed = errors.length > 0;
  if (hasFailed === failing) return { outcome: 'passed' };
  const [first] = [errors[0]].flat();
  return { outcome: 'failed', error: errorText(first) };
}
