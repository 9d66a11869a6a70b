import { expect, it } from 'vitest';
import { SuiteFolder } from '../../support/suite-folder.ts';
import { LIMITED, ofPytest, outcomes, paidOfPytest, ran, runPaid, runSuite, skipped } from './both-targets-suite.ts';
import { startStandIn } from './real-stand-in.ts';
import { hasPytest, PYTEST, pytestSuite } from './runner-suites.ts';

const service = await startStandIn(5000);

it('runs twenty tests on an emulator, and thirteen of them unchanged on the service, skipping the others', async () => {
  expect(Object.fromEntries(await outcomes({}))).toEqual({ passed: [...ran, ...skipped] });
  service.asked.length = 0;
  expect(Object.fromEntries(await outcomes(service.env))).toEqual({ passed: ran, skipped });
  expect(service.asked.filter((line) => !/^(?:GET|POST) \/v1\//.test(line))).toEqual([]);
});

it.each([
  ['jest', /Tests: +2 skipped, 2 passed, 4 total/],
  ['playwright', /2 skipped\n\s+2 passed/],
  ['node:test', /# pass 2\n[\s\S]*# fail 0\n[\s\S]*# todo 2\n/],
] as const)('skips in %s what the service has no door for, with the reason, and runs the rest', async (runner, sum) => {
  const here = await runSuite(runner, {});
  expect(here.code, here.output).toBe(0);
  const { code, output } = await runSuite(runner, service.env);
  expect(output).toMatch(sum);
  if (runner !== 'playwright') expect(output).toContain('it moves or reads the emulator’s clock');
  expect(code).toBe(0);
});

it.each([
  ['vitest', /"numPassedTests":2,"numFailedTests":1\b/],
  ['jest', /Tests: +1 failed, 2 passed, 3 total/],
  ['playwright', /1 failed\n[\s\S]*2 passed/],
] as const)('runs no further test in %s once --max-credits of exec is reached', async (runner, sum) => {
  const before = await service.account.balance();
  const { code, output } = await runPaid(runner, service.env);
  expect(output).toMatch(sum);
  expect(output).toContain('Not run: the run has spent 20 credits, and --max-credits is 15.');
  expect(code).toBe(1);
  expect(await service.account.balance()).toBe(before - 20);
});

it.runIf(hasPytest)(
  'skips with pytest what the service has no door for, with the reason, and runs the rest',
  async () => {
    const [program = '', ...line] = [...PYTEST, '-rs'];
    const here = await new SuiteFolder(pytestSuite(ofPytest)).runCommand(program, line);
    expect(here.output).toMatch(/7 passed/);
    const { code, output } = await new SuiteFolder(pytestSuite(ofPytest)).runCommand(program, line, service.env);
    expect(output).toMatch(/3 passed, 4 skipped/);
    expect(output).toContain("not on the real service (SVC_TARGET=real): it moves or reads the emulator's clock");
    expect(output).toContain('it wants an account of 0 credits alone');
    expect(code).toBe(0);
  },
);

it.runIf(hasPytest)('runs no further test with pytest once --max-credits of exec is reached', async () => {
  const line = [...LIMITED, ...PYTEST];
  const before = await service.account.balance();
  const { code, output } = await new SuiteFolder(pytestSuite(paidOfPytest)).runCommand(
    process.execPath,
    line,
    service.env,
  );
  expect(output).toMatch(/2 passed, 1 error/);
  expect(output).toContain('Not run: the run has spent 20 credits, and --max-credits is 15.');
  expect(output).toContain('The run cost 20 credits; expected at most 15 (--max-credits).');
  expect(code).toBe(1);
  expect(await service.account.balance()).toBe(before - 20);
});
