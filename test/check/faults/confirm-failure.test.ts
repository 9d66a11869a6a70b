import { expect, it } from 'vitest';
import { confirmFailure } from '../../../src/check/faults/confirm-failure.ts';
import type { Scenario } from '../../../src/check/faults/scenario.ts';
import { Budget } from '../../../src/check/runner/budget.ts';
import { BROKE, madeRun } from './made-run.ts';

const SCHEDULE: Scenario = [
  { step: 'POST /v1/chat/completions #1', fault: 'lost_response' },
  { step: 'POST /v1/chat/completions #2', fault: 'lost_response' },
];
const RUN = madeRun({ failure: BROKE });

it.each([
  [1, 'now and then', (turn: number) => turn % 2 === 0, 2],
  [4, 'now and then', (turn: number) => turn % 2 === 0, 2],
  [1, 'each time', () => true, 1],
  [4, 'each time', () => true, 1],
])('with %i runs at a time takes what fails %s for what it is', async (jobs, _, failsAlone, length) => {
  let turn = 0;
  const attempt = async (scenario: Scenario) => {
    const isFailing = scenario.length === SCHEDULE.length || failsAlone(turn++);
    return { run: RUN, failures: isFailing ? [BROKE] : [] };
  };
  const options = {
    ...{ book: new Map(), attempt, ahead: [], jobs, onConfirmed: async () => {} },
    ...{ isSought: () => true, hasPassed: () => false, hasTime: () => true },
  };
  const confirmed = await confirmFailure(SCHEDULE, { run: RUN, failure: BROKE }, options);
  expect(confirmed).toMatchObject({ failed: 3, of: 3 });
  expect(confirmed.scenario).toHaveLength(length);
});

it.each([1, 4])(
  'keeps what fails for no finding where there is no time to run it again, with %i at a time',
  async (jobs) => {
    const attempt = async () => ({ run: RUN, failures: [BROKE] });
    const options = {
      ...{ book: new Map(), attempt, ahead: [], jobs, isSought: () => true, hasPassed: () => false },
      ...{ hasTime: () => false, onConfirmed: () => Promise.reject(new Error('It was not confirmed.')) },
    };
    const confirmed = await confirmFailure(SCHEDULE, { run: RUN, failure: BROKE }, options);
    expect(confirmed).toMatchObject({ failed: 1, of: 1, scenario: SCHEDULE });
  },
);

it('begins a run only where it ends within the budget, and what confirms a failure within a tenth more', () => {
  let now = 0;
  const limits = { budgetMs: 60_000, signal: new AbortController().signal };
  const time = new Budget({ real: () => now }, limits);
  time.lengthMs = 5000;
  const at = (ms: number) => {
    now = ms;
    return [time.leftMs >= 0, time.hasTime(1), time.hasTime(2)];
  };
  expect([55_000, 55_001, 56_000, 56_001, 61_000, 61_001].map(at)).toEqual([
    [true, true, true],
    [false, true, true],
    [false, true, true],
    [false, true, false],
    [false, true, false],
    [false, false, false],
  ]);
});
