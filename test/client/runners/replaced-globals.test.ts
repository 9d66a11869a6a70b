import { stripVTControlCharacters } from 'node:util';
import { expect, it } from 'vitest';
import { fileOf, runSuite, VITEST_GLOBALS } from './replaced-globals.ts';

const EARLY = `import { vi } from 'vitest';
vi.useFakeTimers();
const { test } = await import('svc-emulator/vitest');
test('pays for a reply', async ({ account }) => {});`;

/** Packages that replace more, and Jest, are in the long run. */
it('reads the ledger despite everything that a Vitest test replaces, or says what to change', async () => {
  const files = { 'globals.test.js': fileOf('vitest', 'globals', VITEST_GLOBALS), 'early.test.js': EARLY };
  const { code, output } = await runSuite('vitest', files);
  expect([code, output]).toEqual([1, expect.stringContaining('Turn fake timers on in the test')]);
  expect(stripVTControlCharacters(output)).toMatch(/Test Files +1 failed \| 1 passed[\s\S]*Tests .*\b6 passed/);
});
