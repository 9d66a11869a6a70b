import { expect, it } from 'vitest';
import { hasUnavoidableLoss } from '../../../src/check/faults/judge.ts';
import type { DeliveryRow, RunRecord } from '../../../src/check/runner/run-record.ts';
import { madeRequest } from './made-run.ts';

const ORDER = 'POST /v1/music/generations';

/** A run with orders of one-take songs, the status that the first event got, and the state of the first job. */
function runOf(songs: number, status: number | null, job: 'processing' | 'succeeded' = 'succeeded'): RunRecord {
  const numbers = Array.from({ length: songs }, (_, at) => at + 1);
  const path = '/v1/music/generations';
  const requests = numbers.map((n) => madeRequest({ id: `req_${n}`, path, status: 202, job_ids: [`job_${n}`] }));
  const deliveries = numbers.map((n) => {
    const about = { event_id: `evt_${n}`, subject: `job_${n}`, type: 'music.generation.succeeded' };
    return { id: `del_${n}`, ...about, response_status: n === 1 ? status : 204 } as unknown as DeliveryRow;
  });
  return { requests, jobs: [{ id: 'job_1', status: job }], deliveries, ledger: [], findings: [] };
}

const LOST = [
  { site: `${ORDER} #1`, fault: 'lost_response' },
  { site: 'delivery music.generation.succeeded #1', fault: 'lost' },
];

it.each([
  ['its response and event were lost, and the event samples no longer contain it', LOST, runOf(4, null), true],
  ['its event is among the samples', LOST, runOf(3, null), false],
  ['its event was delivered', LOST.slice(0, 1), runOf(4, 204), false],
  ['its response arrived', LOST.slice(1), runOf(4, null), false],
  ['its job is still open', LOST.slice(0, 1), runOf(1, 204, 'processing'), true],
  ['its job has ended', LOST.slice(0, 1), runOf(1, 204), false],
])('decides whether an app can know of a lost order: %s', (_, scenario, record, isUnavoidable) => {
  expect(hasUnavoidableLoss(scenario, record)).toBe(isUnavoidable);
});
