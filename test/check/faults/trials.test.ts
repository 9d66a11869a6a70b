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

/** A world in which a disturbed run fails after the first `passing` ones; if the machine stands still, only as `failsStill` says. */
function disturbedWorld({ passing = 0, standstill = 0, failsStill = false }) {
  const orders: FaultRunOrder[] = [];
  const run = async (order: FaultRunOrder): Promise<Run> => {
    const isDisturbed = order.bounds.length > 0;
    if (isDisturbed) orders.push(order);
    const stood = isDisturbed && order.rank !== 'calm' ? standstill : 0;
    const hasFailed = isDisturbed && (failsStill ? stood > 0 : stood === 0 && orders.length > passing);
    return madeRun({
      record: { requests: [madeRequest()] },
      failure: hasFailed ? BROKE : undefined,
      standstill: { sum: stood, worst: stood },
    });
  };
  const runner: Runner<FaultRunOrder> = { hasApp: false, run };
  return { runner, orders };
}

it.each<[string, Parameters<typeof disturbedWorld>[0], boolean, ('first' | 'calm')[], number]>([
  ['runs a known failure again if the machine stood still', { standstill: 1500 }, true, ['first', 'calm'], 1],
  ['accepts that a new scenario passes', { standstill: 1500 }, false, ['first'], 0],
  ['runs a failure on a stalled machine again', { standstill: 1500, failsStill: true }, false, ['first', 'calm'], 0],
  ['runs a known failure once if it fails', {}, true, ['first'], 1],
  ['runs a known failure again until it fails', { passing: 2 }, true, ['first', 'calm', 'calm'], 1],
  ['takes a known failure for fixed after three runs that pass', { passing: 9 }, true, ['first', 'calm', 'calm'], 0],
  ['runs a new scenario once', { passing: 2 }, false, ['first'], 0],
])('%s (%o)', async (_, how, insists, ranks, failures) => {
  const { runner, orders } = disturbedWorld(how);
  const plain = new BaselineRuns(runner, PLAIN);
  await plain.prepare();
  const trial = await new Trials(runner, plain).of(SCHEDULE, { insists });
  expect(trial.failures).toHaveLength(failures);
  expect(orders.map(({ rank }) => (rank === 'calm' ? rank : 'first'))).toEqual(ranks);
});
