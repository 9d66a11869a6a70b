import { expect, it } from 'vitest';
import { confirmFailure } from '../../../src/check/app/confirm-finding.ts';
import type { Schedule } from '../../../src/check/app/schedule.ts';
import type { Run } from '../../../src/check/runner/runner.ts';

const SCHEDULE: Schedule = [
  { step: 'POST /v1/chat/completions #1', deviation: 'lost_answer' },
  { step: 'POST /v1/chat/completions #2', deviation: 'lost_answer' },
];
const FAILURE = { kind: 'exit', message: 'It broke.' } as const;
const RUN: Run = {
  record: { requests: [], jobs: [], deliveries: [], ledger: [], findings: [] },
  ...{
    failure: FAILURE,
    output: '',
    probe: undefined,
    check: undefined,
    rested: true,
    made: 0,
    began: 0,
    ended: 1,
    ms: 1,
  },
};

it.each([
  [1, 'now and then', (turn: number) => turn % 2 === 0, 2],
  [4, 'now and then', (turn: number) => turn % 2 === 0, 2],
  [1, 'each time', () => true, 1],
  [4, 'each time', () => true, 1],
])('with %i stories at a time takes what fails %s for what it is', async (jobs, _, failsAlone, length) => {
  let turn = 0;
  const attempt = async (schedule: Schedule) => {
    const isFailing = schedule.length === SCHEDULE.length || failsAlone(turn++);
    return { run: RUN, failures: isFailing ? [FAILURE] : [] };
  };
  const options = { book: new Map(), attempt, isSought: () => true, jobs, isOver: () => false };
  const confirmed = await confirmFailure(SCHEDULE, { run: RUN, failure: FAILURE }, options);
  expect(confirmed).toMatchObject({ failed: 3, of: 3 });
  expect(confirmed.schedule).toHaveLength(length);
});
