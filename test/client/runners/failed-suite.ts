import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { testsOf } from '../../../src/control/trace/trace-marks.ts';
import { recordIn } from '../../control/trace/read-trace.ts';
import { SuiteFolder } from '../../support/suite-folder.ts';

const MODULES = path.join(import.meta.dirname, '..', '..', '..', 'node_modules');
const MAIN = path.join(import.meta.dirname, '..', '..', '..', 'dist', 'main.js');

const ASK = `
const ask = async (emulator, account, model) => {
  const content = 'the secret is ' + process.env.SHOP_SECRET;
  const { status } = await fetch(emulator.url + '/v1/chat/completions', {
    method: 'POST',
    headers: { authorization: 'Bearer ' + account.apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content }] }),
  });
  if (status !== 200) throw new Error('expected 200, and got ' + status);
};
`;
const HOSTILE = `answers / a ../../<b>"chat"</b> of another model ${'長い'.repeat(60)}`;
const WITH_HOOKS = `const svc = emulatorFixtures();${ASK}
test('answers a chat', () => ask(svc.emulator, svc.account, 'svc-rp-mini'));
test(${JSON.stringify(HOSTILE)}, () => ask(svc.emulator, svc.account, 'no-such-model'));
`;
const WITH_FIXTURES = `${ASK}
test('answers a chat', ({ emulator, account }) => ask(emulator, account, 'svc-rp-mini'));
test(${JSON.stringify(HOSTILE)}, ({ emulator, account }) => ask(emulator, account, 'no-such-model'));
`;
const PYTEST = `
import os

def ask(account, model):
    messages = [{"role": "user", "content": "the secret is " + os.environ["SHOP_SECRET"]}]
    account.call("POST", "/v1/chat/completions", {"model": model, "messages": messages})

def test_answers_a_chat(account):
    ask(account, "svc-rp-mini")

def test_answers_another_model(account):
    ask(account, "no-such-model")
`;
const BY_REPORTER = `
import { defineConfig } from '@playwright/test';
export default defineConfig({ workers: 1, reporter: process.env.REPORTER });
`;

export const vitest = { 'a.test.js': `import { test } from 'svc-emulator/vitest';${WITH_FIXTURES}` };
export const jest = { 'a.test.js': `const { emulatorFixtures } = require('svc-emulator/jest');\n${WITH_HOOKS}` };
export const node = {
  'a.test.mjs': `import { test } from 'node:test';\nimport { emulatorFixtures } from 'svc-emulator/node-test';\n${WITH_HOOKS}`,
};
export const playwright = {
  'a.spec.mjs': `import { test } from 'svc-emulator/playwright';${WITH_FIXTURES}`,
  'playwright.config.mjs': BY_REPORTER,
};
export const twice = (files: Record<string, string>) => ({ ...files, 'b.test.js': files['a.test.js'] ?? '' });

export const runVitest = [process.execPath, path.join(MODULES, 'vitest', 'vitest.mjs'), 'run', '--testTimeout=60000'];
export const runJest = [
  process.execPath,
  path.join(MODULES, 'jest', 'bin', 'jest.js'),
  '--rootDir=.',
  '--watchman=false',
];
export const runNode = (reporter: string) => [
  ...[process.execPath, '--test', `--test-reporter=${reporter}`, 'a.test.mjs'],
];
export const runPlaywright = [process.execPath, path.join(MODULES, '@playwright', 'test', 'cli.js'), 'test'];
export const hasPytest = spawnSync('python3', ['-m', 'pytest', '--version']).status === 0;

/** Runs a suite of which a test fails beneath `exec --trace`: the traces of its tests, and what that of the run tells of them. */
export async function failed(files: Record<string, string>, command: string[], env: Record<string, string> = {}) {
  const folder = new SuiteFolder({ 'package.json': '{}', 'jest.config.json': '{}', ...files });
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
  return { output, names, traces, run: recordIn(readFileSync(folder.file('run.html'), 'utf8')) };
}

/** A suite leaves the trace of its failed test, without the value of a secret, and its name in the trace of the run. */
export async function leavesTrace(files: Record<string, string>, command: string[], env: Record<string, string> = {}) {
  const { output, names, traces, run } = await failed(files, command, env);
  expect(names).toEqual([expect.stringMatching(/^answers-a-b-chat-b-of-another-model-[長い]+-[0-9a-f]{6}\.html$/)]);
  expect(output).toContain(`Trace: ${path.join('svc-traces', names[0] ?? '')}`);
  expect(traces[0]?.head).toMatchObject({ failure: expect.stringMatching(/expected|AssertionError/i), title: HOSTILE });
  expect(traces[0]?.tables.requests.map(({ status }) => status)).toEqual([404]);
  expect(JSON.stringify([traces, run])).toContain('the secret is …');
  expect(JSON.stringify([traces, run])).not.toContain('pin9');
  expect(testsOf(run).filter((test) => test.failed)).toEqual([
    expect.objectContaining({ name: HOSTILE.slice(0, 200) }),
  ]);
}

/** The same of a suite of pytest. */
export async function leavesTraceOfPytest(flag: string) {
  const client = readFileSync(
    path.join(import.meta.dirname, '..', '..', '..', 'src', 'client', 'python', 'svc_emulator.py'),
    'utf8',
  );
  const files = { 'conftest.py': 'pytest_plugins = ["svc_emulator"]', 'svc_emulator.py': client, 'test_a.py': PYTEST };
  const { output, names, traces, run } = await failed(files, ['python3', '-m', 'pytest', flag]);
  expect(names).toEqual([expect.stringMatching(/^test_a-py-test_answers_another_model-[0-9a-f]{6}\.html$/)]);
  expect(output).toContain(path.join('svc-traces', names[0] ?? ''));
  expect(traces[0]?.tables.requests.map(({ status }) => status)).toEqual([404]);
  expect(JSON.stringify([traces, run])).not.toContain('pin9');
  const told = testsOf(run)
    .filter((test) => test.failed)
    .map(({ name }) => name);
  expect(told).toEqual(['test_a.py::test_answers_another_model']);
}
