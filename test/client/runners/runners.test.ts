import path from 'node:path';
import { expect, it } from 'vitest';
import { SuiteFolder } from '../../support/suite-folder.ts';
import { failsBySpend, leavesTrace } from './failed-suite.ts';
import { failsByForgottenAwait } from './forgotten-await.ts';
import { commandOf } from './runner-suites.ts';

/** The long tests run all runners in all ways. */
it('runs a Jest suite in CommonJS without extra options', async () => {
  const folder = new SuiteFolder(path.join(import.meta.dirname, 'samples', 'jest'));
  const [program = '', ...line] = [...commandOf('jest'), '--cacheDirectory', folder.file('.cache')];
  const { code, output } = await folder.runCommand(program, line);
  expect(output).toContain('Tests:       4 passed, 4 total');
  expect(output).not.toMatch(/did not exit|open handle/);
  expect(code).toBe(0);
});

it('fails a test of node:test with a wrong cost, and prints the ledger rows', () => failsBySpend('node:test'));

it('fails a test of node:test that does not await an assertion, and passes those that do', () =>
  failsByForgottenAwait('node:test'));

it('saves a trace of a failed Vitest test, and its name in the trace of the run', () => leavesTrace('vitest'));
