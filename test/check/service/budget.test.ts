import { expect, it } from 'vitest';
import { runCommand } from '../../support/run-command.ts';
import { budgetRun, PricedService, spendRun } from './priced-service.ts';

const service = await PricedService.start();

it('never passes its budget, in 40 runs with prices that are 1 to 10 above what is known', async () => {
  const runs = [];
  for (let n = 0; n < 40; n += 1) runs.push(await budgetRun(service, n));
  expect(runs.filter(({ budget, charged }) => charged > budget)).toEqual([]);
  expect(runs.filter(({ charged, booked }) => charged !== booked)).toEqual([]);
  expect(runs.filter(({ charged }) => charged > 20).length).toBeGreaterThan(10);
});

it('spends what a budget has room for beyond the 10 credits that are kept back', async () => {
  const spent = [];
  for (const budget of [10, 20, 30]) {
    service.prices = { above: () => 0, isPublished: true, isSaid: true };
    spent.push((await spendRun(service, budget)).charged);
  }
  expect(spent).toEqual([0, 10, 18]);
});

it('does not pass its budget where the last price alone is 10 above what is known', async () => {
  service.prices = {
    above: (path) => (path.endsWith('/music/generations') ? 10 : 0),
    isPublished: false,
    isSaid: true,
  };
  const { charged } = await spendRun(service, 28);
  expect(charged).toBeLessThanOrEqual(28);
});

it('prints the plan and its prices without a request', async () => {
  service.charged = 0;
  const { exitCode, stdout } = await runCommand(['drift', '--plan', '--budget', '30', '--against', service.url]);
  expect([exitCode, service.charged]).toEqual([0, 0]);
  expect(stdout).toContain(
    'Paid: 18 credits of 30; 10 are kept back, as a service may charge more than its prices say',
  );
  expect(stdout).toMatch(/ 3 {2}createSpeech/);
});
