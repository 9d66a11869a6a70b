import path from 'node:path';
import { expect, it } from 'vitest';
import { SuiteFolder } from '../../support/suite-folder.ts';
import { failsBySpend, leavesTrace } from './failed-suite.ts';
import { commandOf } from './runner-suites.ts';

/** All runners in all ways are in the long run. */
const sample = (name: string) => new SuiteFolder(path.join(import.meta.dirname, 'samples', name));

it('runs a Jest suite in CommonJS without extra options', async () => {
  const folder = sample('jest');
  const [program = '', ...line] = [...commandOf('jest'), '--cacheDirectory', folder.file('.cache')];
  const { code, output } = await folder.runCommand(program, line);
  expect(output).toContain('Tests:       4 passed, 4 total');
  expect(output).not.toMatch(/did not exit|open handle/);
  expect(code).toBe(0);
});

it("runs a suite of Node's test runner, and prints the requests of a failed test", async () => {
  const line = ['--test', '--test-reporter=tap', 'orders.test.mjs'];
  const failed = await sample('node-test').runCommand(process.execPath, line, { SHOW: '1' });
  expect(failed.output).toMatch(/# pass 2\n# fail 1\n/);
  expect(failed.output).toMatch(/# Requests of acct_\w+:\n\s*# POST \/v1\/chat\/completions -> 404, 0 credits/);
  expect(failed.code).toBe(1);
});

it('fails a test of node:test with a wrong cost, and prints the ledger rows', () => failsBySpend('node:test'));

it('saves a trace of a failed Vitest test, and its name in the trace of the run', () => leavesTrace('vitest'));
