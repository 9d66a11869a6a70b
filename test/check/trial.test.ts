import { expect, it } from 'vitest';
import { VirtualClock } from '../../src/base/clock/virtual-clock.ts';
import { findBatchableTests, replaceOtherTestsWithBaseline } from '../../src/check/batch.ts';
import type { FaultRunTask } from '../../src/check/faults/arm-faults.ts';
import type { TestRow } from '../../src/check/runner/run-record.ts';
import { wasRunStalled } from '../../src/check/runner/run-scheduler.ts';
import type { Run } from '../../src/check/runner/runner.ts';
import { tryScenarioAlone } from '../../src/check/trial.ts';
import { BROKE, madeRequest, madeRun } from './faults/made-run.ts';
import { scenarioAt } from './made-report.ts';

const CHAT = 'POST /v1/chat/completions #1';

it.each([
  ['not stalled', 0, true, ['first'], 1],
  ['stalled, and it fails again', 1500, true, ['first', 'calm'], 1],
  ['stalled, and it then passes', 1500, false, ['first', 'calm'], 0],
])(
  'repeats a failed scenario alone if the machine was stalled, and reports it only if it fails again: %s',
  async (_, standstill, failsCalmly, turns, failures) => {
    const tasks: FaultRunTask[] = [];
    const run = async (task: FaultRunTask): Promise<Run> => {
      tasks.push(task);
      const isCalm = task.turn === 'calm';
      const stood = isCalm ? 0 : standstill;
      const failure = isCalm && !failsCalmly ? undefined : BROKE;
      return madeRun({ record: { requests: [madeRequest()] }, failure, standstill: { sum: stood, worst: stood } });
    };
    const runs = [madeRun({ record: { requests: [madeRequest()] } })];
    const baseline = { runs, sites: [], numbering: new Map(), ms: 400, verdicts: [] };
    const trials = { run, clock: new VirtualClock(), hasApp: false, baseline, suite: findBatchableTests(runs, false) };
    const trial = await tryScenarioAlone({ ...trials, undisturbed: new Map() }, scenarioAt(['lost_response'], CHAT));
    expect(trial.failures).toHaveLength(failures);
    expect(tasks.map(({ turn }) => turn ?? 'first')).toEqual(turns);
  },
);

it.each([
  ['a short one', { sum: 100, worst: 60 }, undefined, false],
  ['a long one', { sum: 300, worst: 800 }, undefined, true],
  ['many short ones', { sum: 500, worst: 60 }, undefined, true],
  ['many short ones in a run that was ended early', { sum: 500, worst: 60, ended: 800 }, { ended: 20_000 }, false],
  ['the same as in the baseline run', { sum: 900, worst: 800 }, { sum: 900, worst: 780 }, false],
])('decides by its pauses whether a run had too little CPU time: %s', (_name, own, usual, expected) => {
  const run = ({ sum = 0, worst = 0, ended = 1000 } = {}) => ({ began: 0, ended, standstill: { sum, worst } });
  expect(wasRunStalled(run(own), [run(usual)])).toBe(expected);
});

it('keeps the trace of a failed run if check takes the results of the tests without a fault from the baseline', () => {
  const row = { name: 'buys', file: 'shop.test.js', outcome: 'failed', account_ids: [] } as unknown as TestRow;
  const record = { tests: [row], failedTests: [{ name: 'buys', error: 'Error: no' }] };
  const trace = { html: '<!doctype html>' };
  const run = madeRun({ record, failure: BROKE, trace });
  expect(replaceOtherTestsWithBaseline(new Set(['shop.test.js > buys']), run, madeRun({ record })).trace).toEqual(
    trace,
  );
});
