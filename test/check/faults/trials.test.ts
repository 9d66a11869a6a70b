import { expect, it } from 'vitest';
import { VirtualClock } from '../../../src/base/clock/virtual-clock.ts';
import { BaselineRuns } from '../../../src/check/baseline-runs.ts';
import type { FaultRunOrder } from '../../../src/check/faults/arm-faults.ts';
import { Trials } from '../../../src/check/faults/trials.ts';
import type { Run, Runner } from '../../../src/check/runner/runner.ts';
import { BROKE, madeRequest, madeRun } from './made-run.ts';

const PLAIN = {
  ...{ clock: new VirtualClock(), whole: 'npm test', folder: '.', budgetMs: 0, jobs: 1 },
  ...{ warn: () => {}, onCrowded: () => {} },
};
const SCHEDULE = [{ step: 'POST /v1/chat/completions #1', fault: 'lost_response' }];

/** A world in which what is disturbed fails, but not where the machine has stood still; `orders` are the disturbed runs. */
function stillWorld(standstill: number) {
  const orders: FaultRunOrder[] = [];
  const run = async (order: FaultRunOrder): Promise<Run> => {
    if (order.bounds.length > 0) orders.push(order);
    const isCalm = order.rank === 'calm' || standstill === 0;
    const isDisturbed = order.bounds.length > 0;
    return madeRun({
      record: { requests: [madeRequest()] },
      failure: isDisturbed && isCalm ? BROKE : undefined,
      standstill: isDisturbed && !isCalm ? { sum: standstill, worst: standstill } : { sum: 0, worst: 0 },
    });
  };
  const runner: Runner<FaultRunOrder> = { hasApp: false, run };
  return { runner, orders };
}

it.each([
  ['looks again at what is to fail', 1500, true, [undefined, 'calm'], 1],
  ['takes for its word what is tried for the first time', 1500, false, [undefined], 0],
  ['takes for its word what failed on a machine that keeps up', 0, true, [undefined], 1],
])('%s, by how long the machine stood still (%i ms)', async (_, standstill, insists, ranks, failures) => {
  const { runner, orders } = stillWorld(standstill);
  const plain = new BaselineRuns(runner, PLAIN);
  await plain.prepare();
  const trial = await new Trials(runner, plain).of(SCHEDULE, { insists });
  expect(trial.failures).toHaveLength(failures);
  expect(orders.map(({ rank }) => (rank === 'calm' ? rank : undefined))).toEqual(ranks);
});

/** A world in which two parallel chats come in the other order in the first disturbed runs, which then stand. */
function parallelWorld(otherwise: number) {
  let disturbed = 0;
  const run = async ({ bounds }: FaultRunOrder): Promise<Run> => {
    if (bounds.length > 0) disturbed += 1;
    const isOther = bounds.length > 0 && disturbed <= otherwise;
    const said = isOther ? ['two', 'one'] : ['one', 'two'];
    const requests = said.map((word, at) => madeRequest({ id: `req_${word}`, charges: [`le_${at}`], request: word }));
    const ledger = said.map((_, at) => ({ id: `le_${at}`, type: 'charge' as const, amount: -1, job_id: null }));
    return madeRun({ record: { requests, ledger }, failure: bounds.length > 0 && !isOther ? BROKE : undefined });
  };
  const runner: Runner<FaultRunOrder> = { hasApp: false, run };
  return { runner, runs: () => disturbed };
}

it.each([
  ['looks again at what stands where parallel requests were paid in another order', 2, true, 3, 1],
  ['gives that up when they come so each time', 9, true, 4, 0],
  ['looks once at what is tried for the first time', 2, false, 1, 0],
  ['looks once at what fails', 0, true, 1, 1],
])('%s (%i times)', async (_, otherwise, insists, runs, failures) => {
  const parallel = parallelWorld(otherwise);
  const plain = new BaselineRuns(parallel.runner, PLAIN);
  await plain.prepare();
  const trial = await new Trials(parallel.runner, plain).of(SCHEDULE, { insists });
  expect(trial.failures).toHaveLength(failures);
  expect(parallel.runs()).toBe(runs);
});
