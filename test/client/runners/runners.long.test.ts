import path from 'node:path';
import { expect, it } from 'vitest';
import { SuiteFolder } from '../../support/suite-folder.ts';
import { failed, failingSuite, failsBySpend, leavesTrace, namesFailedTestOfPytest } from './failed-suite.ts';
import { failsByForgottenAwait } from './forgotten-await.ts';
import { reportsTests } from './reported-tests.ts';
import { commandOf, hasPytest } from './runner-suites.ts';

it('runs a suite of Playwright, whose page asks the service itself', async () => {
  const [program = '', ...line] = commandOf('playwright');
  const folder = new SuiteFolder(path.join(import.meta.dirname, 'samples', 'playwright'));
  const { code, output } = await folder.runCommand(program, line);
  expect(output).toContain('2 passed');
  expect(code).toBe(0);
});

it.each(['vitest', 'jest', 'playwright'] as const)(
  'fails a test of %s that has cost something else, with the rows of the ledger',
  failsBySpend,
);

it.each(['jest', 'node:test', 'playwright'] as const)(
  'leaves a trace of a test of %s that fails, and its name in that of the run',
  (runner) => leavesTrace(runner),
);

it("reads the name of a failed test from what Node's own runner prints as a tree", () => {
  const command = commandOf('node:test').map((word) => word.replace('=tap', '=spec'));
  return leavesTrace('node:test', {}, command);
});

it('reads the name of a failed test from the one line of Playwright', () =>
  leavesTrace('playwright', { REPORTER: 'line' }));

it.skipIf(!hasPytest).each(['-q', '-v'])(
  'prints the requests of a test of pytest %s that fails, and names it in the trace of the run',
  namesFailedTestOfPytest,
);

it('keeps the traces of tests of one name in two files apart', async () => {
  const suite = failingSuite('vitest');
  const { names } = await failed({ ...suite, 'b.test.js': suite['a.test.js'] ?? '' }, commandOf('vitest'));
  expect(names).toHaveLength(2);
});

it.each(['jest', 'playwright'] as const)(
  'reports the tests of %s if asked to, and writes no files under check',
  reportsTests,
);

it.each(['vitest', 'jest', 'playwright'] as const)(
  'fails a test of %s that waits for no assertion, with that reason, and passes those that wait',
  failsByForgottenAwait,
);
