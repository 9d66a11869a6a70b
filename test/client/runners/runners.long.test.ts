import path from 'node:path';
import { expect, it } from 'vitest';
import { SuiteFolder } from '../../support/suite-folder.ts';
import { failed, failingSuite, failsBySpend, leavesTrace } from './failed-suite.ts';
import { failsByForgottenAwait } from './forgotten-await.ts';
import { reportsTests } from './reported-tests.ts';
import { commandOf } from './runner-suites.ts';

it('runs a Playwright suite whose page calls the service', async () => {
  const [program = '', ...line] = commandOf('playwright');
  const folder = new SuiteFolder(path.join(import.meta.dirname, 'samples', 'playwright'));
  const { code, output } = await folder.runCommand(program, line);
  expect(output).toContain('2 passed');
  expect(code).toBe(0);
});

it.each(['vitest', 'jest', 'playwright'] as const)(
  'fails a test of %s with a wrong cost, and prints the ledger rows',
  failsBySpend,
);

it.each(['jest', 'node:test', 'playwright'] as const)(
  'saves a trace of a failed test of %s, and its name in the trace of the run',
  (runner) => leavesTrace(runner),
);

it('reads the name of a failed test from the output of the line reporter of Playwright', () =>
  leavesTrace('playwright', { REPORTER: 'line' }));

it('keeps separate traces for tests with the same name in two files', async () => {
  const suite = failingSuite('vitest');
  const { names } = await failed({ ...suite, 'b.test.js': suite['a.test.js'] ?? '' }, commandOf('vitest'));
  expect(names).toHaveLength(2);
});

it.each(['jest', 'playwright'] as const)(
  'reports each test of %s under check by one control operation at its begin and one at its end, and writes no traces',
  reportsTests,
);

it.each(['vitest', 'jest', 'playwright'] as const)(
  'fails a test of %s that does not await an assertion, and passes those that do',
  failsByForgottenAwait,
);
