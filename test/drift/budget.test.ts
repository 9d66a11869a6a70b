import { afterAll, expect, it } from 'vitest';
import { runCommand } from '../support/run-command.ts';
import { budgetRun, PricedService } from './priced-service.ts';

const service = await PricedService.start();
afterAll(() => service.close());

it('never passes its budget, in 40 runs with prices that are 1 to 10 above what is known', async () => {
  const runs = [];
  for (let n = 0; n < 40; n += 1) runs.push(await budgetRun(service, n));
  expect(runs.filter(({ budget, charged }) => charged > budget)).toEqual([]);
  expect(runs.filter(({ charged, booked }) => charged !== booked)).toEqual([]);
  expect(runs.filter(({ charged }) => charged > 20).length).toBeGreaterThan(10);
});

it('prints the plan and its prices without a request', async () => {
  service.charged = 0;
  const { exitCode, stdout } = await runCommand(['drift', '--plan', '--budget', '30', '--against', service.url]);
  expect([exitCode, service.charged]).toEqual([0, 0]);
  expect(stdout).toContain('Paid: 18 credits of 30; 10 are kept back');
  expect(stdout).toMatch(/ 3 {2}createSpeech/);
});
