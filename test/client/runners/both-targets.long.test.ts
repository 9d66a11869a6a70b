import { expect, it } from 'vitest';
import { outcomes, ran, runPaid, runSuite, skipped } from './both-targets-suite.ts';
import { startStandIn } from './real-stand-in.ts';

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
