import path from 'node:path';
import { expect, it } from 'vitest';
import { SuiteFolder } from '../../support/suite-folder.ts';
import { failsBySpend, leavesTrace } from './failed-suite.ts';
import { commandOf } from './runner-suites.ts';

/** All runners in all ways are in the long run. */
const sample = (name: string) => new SuiteFolder(path.join(import.meta.dirname, 'samples', name));

it('runs a suite of Jest, from CommonJS and without a flag', async () => {
  const folder = sample('jest');
  const [program = '', ...line] = [...commandOf('jest'), '--cacheDirectory', folder.file('.cache')];
  const { code, output } = await folder.runCommand(program, line);
  expect(output).toContain('Tests:       4 passed, 4 total');
  expect(output).not.toMatch(/did not exit|open handle/);
  expect(code).toBe(0);
});

it("runs a suite of Node's own runner, and shows the requests of a test that fails", async () => {
  const line = ['--test', '--test-reporter=tap', 'orders.test.mjs'];
  const failed = await sample('node-test').runCommand(process.execPath, line, { SHOW: '1' });
  expect(failed.output).toMatch(/# pass 2\n# fail 1\n/);
  expect(failed.output).toMatch(/# Requests of acct_\w+:\n\s*# POST \/v1\/chat\/completions -> 404, 0 credits/);
  expect(failed.code).toBe(1);
});

it('fails a test of node:test that has cost something else, with the rows of the ledger', () =>
  failsBySpend('node:test'));

it('leaves a trace of a test of Vitest that fails, and its name in that of the run', () => leavesTrace('vitest'));
