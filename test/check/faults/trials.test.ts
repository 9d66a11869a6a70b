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

/** A world in which what is disturbed fails, but not if the machine stood still; `orders` are the disturbed runs. */
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
  ['runs a known failure again if the machine stood still', 1500, true, [undefined, 'calm'], 1],
  ['accepts that a new scenario passes', 1500, false, [undefined], 0],
  ['accepts a failure on a machine that keeps up', 0, true, [undefined], 1],
])('%s (%i ms of standstill)', async (_, standstill, insists, ranks, failures) => {
  const { runner, orders } = stillWorld(standstill);
  const plain = new BaselineRuns(runner, PLAIN);
  await plain.prepare();
  const trial = await new Trials(runner, plain).of(SCHEDULE, { insists });
  expect(trial.failures).toHaveLength(failures);
  expect(orders.map(({ rank }) => (rank === 'calm' ? rank : undefined))).toEqual(ranks);
});

/** A world in which the first `passing` disturbed runs pass. */
function laterWorld(passing: number) {
  let disturbed = 0;
  const run = async ({ bounds }: FaultRunOrder): Promise<Run> => {
    if (bounds.length > 0) disturbed += 1;
    const hasFailed = bounds.length > 0 && disturbed > passing;
    return madeRun({ record: { requests: [madeRequest()] }, failure: hasFailed ? BROKE : undefined });
  };
  const runner: Runner<FaultRunOrder> = { hasApp: false, run };
  return { runner, runs: () => disturbed };
}

it.each([
  ['runs a known failure again until it fails', 2, true, 3, 1],
  ['takes a known failure for fixed after three runs that pass', 9, true, 3, 0],
  ['runs a new scenario once', 2, false, 1, 0],
  ['runs a known failure once if it fails', 0, true, 1, 1],
])('%s (%i runs pass)', async (_, passing, insists, runs, failures) => {
  const world = laterWorld(passing);
  const plain = new BaselineRuns(world.runner, PLAIN);
  await plain.prepare();
  const trial = await new Trials(world.runner, plain).of(SCHEDULE, { insists });
  expect(trial.failures).toHaveLength(failures);
  expect(world.runs()).toBe(runs);
});
