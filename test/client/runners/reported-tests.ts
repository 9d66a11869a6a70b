import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { startEmulator } from '../../../src/index.ts';
import { SuiteFolder } from '../../support/suite-folder.ts';
import { commandOf, hasFixtures, type Runner, suiteOf } from './runner-suites.ts';

/** Playwright refuses two tests of one title in a file. */
const titleOfPaid = (runner: Runner) => (runner === 'playwright' ? 'is paid' : 'pays');

/** Vitest leaves its values out of the message. */
const COMPARISON = `const { expect } = await import('vitest');
  expect({ id: 1, parts: ['one', 'two'], state: 'lost' }).toMatchObject({ parts: ['one', 'two'], state: 'done' });`;

/** In the same lines with every runner. */
export function shopSuite(runner: Runner) {
  const opens = 'await emulator.account({ credits: 5 });';
  const tests = [
    { title: 'sells', work: opens },
    { title: titleOfPaid(runner), work: '' },
    { title: 'pays', work: "throw new Error('no money', { cause: new TypeError('fetch failed') });" },
    { title: 'asks for no account', work: opens, takes: 'emulator' },
    ...(runner === 'vitest' ? [{ title: 'compares', work: COMPARISON }] : []),
  ];
  // With hooks there is always an account.
  return suiteOf(runner, hasFixtures(runner) ? tests : tests.slice(0, 3), "describe('a shop', () => {", '});');
}

/** The tests that a suite reports, oldest first, also as rows, and what its failed test printed. */
export async function reported(
  files: Record<string, string>,
  command: readonly string[],
  asked: Record<string, string>,
) {
  await using emulator = await startEmulator();
  const folder = new SuiteFolder(files);
  const [program = '', ...line] = command;
  const env = { SVC_BASE_URL: emulator.url, ...asked };
  const { code, output } = await folder.runCommand(program, line, env);
  expect(code, output).toBe(1);
  const tests = (await emulator.control.listTests()).reverse();
  const rows = tests.map((each) => [each.name, each.line, each.accountIds.length, each.outcome, each.error]);
  const accounts = await emulator.control.listAccounts();
  return { tests, rows, accounts, output, hasTraces: existsSync(folder.file('svc-traces')) };
}

/** The cause shows `check` that an app reports a lost connection. */
export const NO_MONEY = expect.stringMatching(/no money\nCaused by .*fetch failed$/);

const VALUES = expect.stringMatching(/^expected .*\n- +"state": "done",\n\+ +"state": "lost",$/s);

/** Reports its tests if asked to, with the values of a comparison, and writes no files under check. */
export async function reportsTests(runner: Runner): Promise<void> {
  const { tests, rows, output, hasTraces } = await reported(shopSuite(runner), commandOf(runner), {
    SVC_CHECK: '1',
  });
  // Node says the titles around a test from version 22 on.
  const named = (title: string) =>
    expect.stringMatching(new RegExp(`^${runner === 'node:test' ? '(a shop > )?' : 'a shop > '}${title}$`));
  const isUnlike = titleOfPaid(runner) !== 'pays';
  expect(rows, output).toEqual([
    [named('sells'), 4, 2, 'passed', null],
    [named(titleOfPaid(runner)), isUnlike ? 5 : null, 1, 'passed', null],
    [named(isUnlike ? 'pays' : 'pays #2'), isUnlike ? 6 : null, 1, 'failed', NO_MONEY],
    ...(hasFixtures(runner) ? [[named('asks for no account'), 7, 1, 'passed', null]] : []),
    ...(runner === 'vitest' ? [[named('compares'), expect.any(Number), 1, 'failed', VALUES]] : []),
  ]);
  for (const { file, started, ended } of tests) {
    expect(path.basename(file ?? '')).toMatch(/^a\.(test|spec)\.m?js$/);
    expect(Date.parse(ended ?? '')).toBeGreaterThanOrEqual(Date.parse(started));
  }
  expect(output).toContain('Requests of acct_');
  expect(hasTraces).toBe(false);
}
