import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { existsSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import path from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { startEmulator } from '../../../src/index.ts';
import { SuiteFolder } from '../../support/suite-folder.ts';
import { commandOf, hasFixtures, type Runner, suiteOf } from './runner-suites.ts';

/** Playwright rejects two tests with the same title in one file. */
const titleOfPaid = (runner: Runner) => (runner === 'playwright' ? 'is paid' : 'pays');

/** A comparison whose values Vitest leaves out of the error message. */
const COMPARISON = `const { expect } = await import('vitest');
  expect({ id: 1, parts: ['one', 'two'], state: 'lost' }).toMatchObject({ parts: ['one', 'two'], state: 'done' });`;

/** An assertion on the cost of a test, which reads the usage once. */
const COSTS: Record<Runner, string> = {
  vitest: "const { expect } = await import('vitest'); await expect(account).toHaveSpent({ credits: 0 });",
  playwright:
    "const { expect } = await import('svc-emulator/playwright'); await expect(account).toHaveSpent({ credits: 0 });",
  jest: 'await expect(account).toHaveSpent({ credits: 0 });',
  'node:test': '',
};

export function shopSuite(runner: Runner) {
  const opens = 'await emulator.account({ credits: 5 });';
  const tests = [
    { title: 'sells', work: opens },
    { title: titleOfPaid(runner), work: COSTS[runner] },
    { title: 'pays', work: "throw new Error('no money', { cause: new TypeError('fetch failed') });" },
    { title: 'asks for no account', work: opens, takes: 'emulator' },
    ...(runner === 'vitest' ? [{ title: 'compares', work: COMPARISON }] : []),
  ];
  // With hooks every test has an account, so `asks for no account` is left out.
  return suiteOf(runner, hasFixtures(runner) ? tests : tests.slice(0, 3), "describe('a shop', () => {", '});');
}

export const BEGIN = 'POST /_emulator/accounts';
const SPENT = 'GET /_emulator/accounts/:id/usage';
export const END = 'PATCH /_emulator/tests/:id';

/** Records the control operations that an emulator receives, in order and without ids, except health checks. */
function controlCallsOf(url: string): string[] {
  const calls: string[] = [];
  const note = (message: unknown) => {
    const { method, url: path = '', socket } = (message as { request: IncomingMessage }).request;
    if (`${socket.localPort}` !== new URL(url).port || !path.startsWith('/_emulator') || path.endsWith('/health'))
      return;
    calls.push(`${method} ${path.split('?')[0]?.replace(/\w+_\w{10,}/g, ':id')}`);
  };
  subscribe('http.server.request.start', note);
  onTestFinished(() => void unsubscribe('http.server.request.start', note));
  return calls;
}

/** Runs a suite, and returns the tests that it reports, oldest first, its control operations, and its output. */
export async function reported(
  files: Record<string, string>,
  command: readonly string[],
  asked: Record<string, string>,
) {
  await using emulator = await startEmulator();
  const folder = new SuiteFolder(files);
  const [program = '', ...line] = command;
  const env = { SVC_BASE_URL: emulator.url, ...asked };
  const called = controlCallsOf(emulator.url);
  const { code, output } = await folder.runCommand(program, line, env);
  const calls = [...called];
  expect(code, output).toBe(1);
  const tests = (await emulator.control.listTests()).reverse();
  const rows = tests.map((each) => [each.name, each.line, each.accountIds.length, each.outcome, each.error]);
  const accounts = await emulator.control.listAccounts();
  return { tests, rows, calls, accounts, output, hasTraces: existsSync(folder.file('svc-traces')) };
}

/** The cause tells `check` that the app reported a lost connection. */
export const NO_MONEY = expect.stringMatching(/no money\nCaused by .*fetch failed$/);

const VALUES = expect.stringMatching(/^expected .*\n- +"state": "done",\n\+ +"state": "lost",$/s);

/** Checks that a suite reports its tests under check, with the values of a comparison, and writes no traces. */
export async function reportsTests(runner: Runner): Promise<void> {
  const shop = shopSuite(runner);
  const { tests, rows, calls, output, hasTraces } = await reported(shop, commandOf(runner), { SVC_CHECK: '1' });
  // Node reports the titles of enclosing suites since version 22.
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
  expect(calls.slice(0, 5 + Number(COSTS[runner] !== ''))).toEqual([
    ...[BEGIN, BEGIN, END, BEGIN, ...(COSTS[runner] === '' ? [] : [SPENT]), END],
  ]);
  expect(output).toContain('Requests of acct_');
  expect(hasTraces).toBe(false);
}
