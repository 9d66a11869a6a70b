import { afterAll, expect, it } from 'vitest';
import { runCommand } from '../support/run-command.ts';
import { budgetRun, PricedService, spendRun } from './priced-service.ts';

const service = await PricedService.start();
afterAll(() => service.close());

it('never passes its budget, in 40 runs with prices that are 1 to 10 above what is known', async () => {
  const runs = [];
  for (let n = 0; n < 40; n += 1) runs.push(await budgetRun(service, n));
  expect(runs.filter(({ budget, charged }) => charged > budget)).toEqual([]);
  expect(runs.filter(({ charged, booked }) => charged !== booked)).toEqual([]);
  expect(runs.filter(({ charged }) => charged > 20).length).toBeGreaterThan(10);
});

it('spends what a budget has room for once prices were charged as they are known', async () => {
  const spent = [];
  for (const budget of [10, 20, 30]) {
    service.prices = { above: () => 0, isPublished: true, isSaid: true };
    spent.push((await spendRun(service, budget)).charged);
  }
  expect(spent).toEqual([0, 18, 28]);
});

it('keeps 10 credits back as soon as a price was charged otherwise than it is known', async () => {
  service.prices = { above: (path) => (path.endsWith('/speech') ? 1 : 0), isPublished: false, isSaid: true };
  const { charged } = await spendRun(service, 25);
  expect(charged).toBe(14);
});

it('prints the plan and its prices without a request', async () => {
  service.charged = 0;
  const { exitCode, stdout } = await runCommand(['drift', '--plan', '--budget', '30', '--against', service.url]);
  expect([exitCode, service.charged]).toEqual([0, 0]);
  expect(stdout).toContain('Paid: 28 credits of 30; 10 are kept back until 4 prices were charged as they are known');
  expect(stdout).toMatch(/ 3 {2}createSpeech/);
});
