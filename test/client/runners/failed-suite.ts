import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { parseFailedTests } from '../../../src/client/runners/parse-failed-tests.ts';
import { MAIN } from '../../cli/spawned-program.ts';
import { recordIn, requestsIn } from '../../control/trace/read-trace.ts';
import { SuiteFolder } from '../../support/suite-folder.ts';
import { commandOf, type Runner, suiteOf, testsOf } from './runner-suites.ts';

const CHAT = `
const chat = async (emulator, account, model = 'svc-rp-mini') => {
  const content = 'the secret is ' + process.env.SHOP_SECRET;
  const { status } = await fetch(emulator.baseUrl + '/chat/completions', {
    method: 'POST',
    headers: { authorization: 'Bearer ' + account.apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content }] }),
  });
  if (status !== 200) throw new Error('expected 200, and got ' + status);
};
`;
const [ONE, UNKNOWN] = ['await chat(emulator, account)', "await chat(emulator, account, 'no-such-model')"];
const HOSTILE = `answers / a ../../<b>"chat"</b> of another model ${'長い'.repeat(60)}`;

/** A suite of two tests, of which one fails. */
export const failingSuite = (runner: Runner) =>
  suiteOf(runner, testsOf({ 'answers a chat': ONE, [HOSTILE]: UNKNOWN }), CHAT);

/** Runs a failing suite under `exec --trace`. Returns its traces, and the failed tests that the trace of the run names. */
export async function failed(
  files: Record<string, string>,
  command: readonly string[],
  env: Record<string, string> = {},
) {
  const folder = new SuiteFolder(files);
  const line = [MAIN, 'exec', '--quiet', '--trace', 'run.html', '--', ...command];
  const { code, output } = await folder.runCommand(process.execPath, line, { SHOP_SECRET: 'pin9', ...env });
  expect(code, output).toBe(1);
  const place = folder.file('svc-traces');
  const kept = existsSync(place) ? readdirSync(place) : [];
  const names = kept.filter((name) => name.endsWith('.html') && name !== 'index.html');
  expect(kept.filter((name) => /^viewer-[0-9a-f]{8}\.js$/.test(name))).toHaveLength(1);
  expect(kept).toHaveLength(names.length + 2);
  for (const name of names) expect(statSync(path.join(place, name)).size).toBeLessThan(60_000);
  const traces = names.map((name) => recordIn(readFileSync(path.join(place, name), 'utf8')));
  const run = recordIn(readFileSync(folder.file('run.html'), 'utf8'));
  expect(
    traces
      .slice(0, 1)
      .flatMap(requestsIn)
      .map(({ status }) => status),
  ).toEqual([404]);
  expect(JSON.stringify([traces, run])).not.toContain('pin9');
  const failedTests = parseFailedTests(run.output.map(({ text }) => text)).map(({ name }) => name);
  return { output, names, traces, run, failedTests };
}

/** Checks that a failed test prints its requests, leaves a trace without secrets, and is named in the trace of the run. */
export async function leavesTrace(runner: Runner, env: Record<string, string> = {}): Promise<void> {
  const suite = failingSuite(runner);
  const { output, names, traces, run, failedTests } = await failed(suite, commandOf(runner), env);
  expect(names).toEqual([expect.stringMatching(/^answers-a-b-chat-b-of-another-model-[長い]+-[0-9a-f]{6}\.html$/)]);
  expect(output).toContain('POST /v1/chat/completions -> 404, 0 credits');
  expect(output).toMatch(/sent .*no-such-model/);
  expect(output).toMatch(/got .*model_not_found/);
  // Playwright prints the path of the trace as that of an attachment.
  if (runner === 'playwright')
    expect(output).toMatch(/attachment #2: svc-trace .*\n +test-results\/.*\/svc-trace-\w+\.html\n/);
  else expect(output).toContain(`Trace: ${path.join('svc-traces', names[0] ?? '')}`);
  expect(traces[0]?.head).toMatchObject({ failure: expect.stringMatching(/expected|AssertionError/i), title: HOSTILE });
  expect(JSON.stringify([traces, run])).toContain('the secret is …');
  expect(failedTests).toEqual([HOSTILE]);
}

/** Checks that two tests fail: one because of its cost, with its ledger rows, and one because of its own error only. */
export async function failsBySpend(runner: Runner): Promise<void> {
  const tests = [
    { title: 'has cost one credit', work: ONE, cost: '1' },
    { title: 'has cost twelve', work: ONE, cost: '{ credits: 12, refunds: 0 }' },
    { title: 'has failed by itself', work: UNKNOWN, cost: '12' },
    { title: 'has asked for no account', work: '', takes: '', cost: '0' },
  ];
  const [program = '', ...line] = commandOf(runner);
  const { code, output } = await new SuiteFolder(suiteOf(runner, tests, CHAT)).runCommand(program, line);
  expect(output).toMatch(/2 passed|pass 2\b/);
  expect(output).toMatch(/2 failed|fail 2\b/);
  expect(output).toMatch(
    /Expected 12 credits spent and 0 refunds, got 1 credit spent and 0 refunds:\s+charge -1 \(chat\.completion\), balance 999/,
  );
  expect(output).toContain('expected 200, and got 404');
  expect(output).not.toContain('got 0 credits spent');
  expect(code).toBe(1);
}
