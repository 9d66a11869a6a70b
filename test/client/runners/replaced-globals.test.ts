import { stripVTControlCharacters } from 'node:util';
import { expect, it } from 'vitest';
import { fileOf, runSuite, VITEST_GLOBALS } from './replaced-globals.ts';

const EARLY = `import { vi } from 'vitest';
vi.useFakeTimers();
const { test } = await import('svc-emulator/vitest');
test('pays for a reply', async ({ account }) => {});`;

/** A test file that replaces parts of `http`, as nock does when it is imported. */
const HTTP_FIRST = `import http from 'node:http';
import { expect } from 'vitest';
class Replaced extends http.ClientRequest {
  constructor() { throw new Error('no http'); }
}
Object.assign(http, { ClientRequest: Replaced, request: () => new Replaced() });
const { test } = await import('svc-emulator/vitest');
test('pays for nothing', async ({ account }) => { await expect(account).toHaveSpent({ credits: 0 }); });`;

/** The long tests cover Jest and packages that replace more. */
it('reads the ledger if a Vitest test replaces fetch, timers or http, and says what to change if timers are fake when svc-emulator is imported', async () => {
  const globals = fileOf('vitest', 'globals', VITEST_GLOBALS);
  const files = { 'globals.test.js': globals, 'early.test.js': EARLY, 'http-first.test.js': HTTP_FIRST };
  const { code, output } = await runSuite('vitest', files);
  expect([code, output]).toEqual([1, expect.stringContaining('Turn fake timers on in the test')]);
  expect(stripVTControlCharacters(output)).toMatch(/Test Files +1 failed \| 2 passed[\s\S]*Tests .*\b7 passed/);
});
