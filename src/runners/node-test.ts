import { after, afterEach, before, beforeEach } from 'node:test';
import { SuiteHooks, type SuiteOptions } from './suite-hooks.ts';

export { expectSpend } from '../testing/spend.ts';
export type { AccountFixture } from './suite-fixtures.ts';
export type { SuiteHooks, SuiteOptions } from './suite-hooks.ts';

/** The part of a test's context that Node passes to its hooks; `passed` is known from Node 20.12 on. */
interface HookContext {
  name?: string;
  /** From Node 22 on; before, each file is a process of its own. */
  filePath?: string;
  passed?: boolean;
  diagnostic?(message: string): void;
}

/**
 * Fixtures for the tests of a file or of a `describe`: `const svc = emulatorFixtures()` beside them, then `svc.emulator`,
 * `svc.account` and `svc.inbox` in each. When a test fails, its requests are printed, and written to
 * `svc-traces/`.
 */
export function emulatorFixtures(options: SuiteOptions = {}): SuiteHooks {
  const hooks = new SuiteHooks(options);
  before(() => hooks.begin());
  beforeEach(({ name = '', filePath = process.argv[1] ?? '' }: HookContext) => hooks.open({ name, file: filePath }));
  afterEach(async (context: HookContext) => {
    if (context.passed !== false) return;
    for (const line of (await hooks.story()).split('\n')) context.diagnostic?.(line);
  });
  after(() => hooks.end());
  return hooks;
}
