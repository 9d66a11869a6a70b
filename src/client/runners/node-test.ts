import { after, afterEach, before, beforeEach } from 'node:test';
import { errorText, requireNoForgottenCalls, type TestIdentity, type TestResult } from './suite-fixtures.ts';
import { SuiteHooks, type SuiteOptions } from './suite-hooks.ts';

export { expectSpend } from '../spend.ts';
export type { AccountFixtureOptions } from './suite-fixtures.ts';
export type { SuiteHooks, SuiteOptions } from './suite-hooks.ts';

interface HookContext {
  name?: string;
  /** The name of the test after the names of its suites. */
  fullName?: string;
  /** Missing in Node 20, which runs each file in its own process. */
  filePath?: string;
  passed?: boolean;
  error?: { message?: string; cause?: unknown } | null;
  diagnostic?(message: string): void;
}

/**
 * Fixtures for the tests of a file or a `describe`: `const svc = emulatorFixtures()`, then `svc.emulator`,
 * `svc.account` and `svc.inbox` in each test. A failed test prints its requests and writes a trace to `svc-traces/`.
 */
export function emulatorFixtures(options: SuiteOptions = {}): SuiteHooks {
  const hooks = new SuiteHooks(options);
  before(() => hooks.begin());
  beforeEach((context: HookContext) => hooks.open(nameIn(context)));
  afterEach(async (context: HookContext) => {
    const failure = await hooks.close(endOf(context));
    for (const line of failure.story.split('\n').filter(Boolean)) context.diagnostic?.(line);
    requireNoForgottenCalls(failure);
  });
  after(() => hooks.end());
  return hooks;
}

function nameIn({ name = '', fullName, filePath = process.argv[1] ?? '' }: HookContext): TestIdentity {
  const suites = fullName?.endsWith(` > ${name}`) ? [fullName.slice(0, -` > ${name}`.length)] : [];
  return { titles: [...suites, name], file: filePath };
}

function endOf({ passed, error }: HookContext): TestResult {
  if (passed !== false) return { outcome: 'passed' };
  const { cause } = error ?? {};
  return { outcome: 'failed', error: errorText(cause instanceof Error ? cause : error) };
}
