import { expect, it } from 'vitest';
import { hasUnavoidableLoss } from '../../../src/check/faults/judge.ts';
import { madeRequest } from './made-run.ts';

const ORDER = 'POST /v1/music/generations';

/** A run in which so many songs of one take were ordered, of which the first event was answered so. */
function runOf(songs: number, status: number | null) {
  const numbers = Array.from({ length: songs }, (_, at) => at + 1);
  const path = '/v1/music/generations';
  const requests = numbers.map((n) => madeRequest({ id: `req_${n}`, path, status: 202, job_ids: [`job_${n}`] }));
  const deliveries = numbers.map((n) => {
    const about = {
      event_id: `evt_${n}`,
      subject: `job_${n}`,
      type: 'music.generation.succeeded',
      endpoint_id: 'wh_1',
      url: 'http://localhost',
    };
    const attempt = { status: 'delivered', fault: null, attempted_at: null, duration_ms: null, error: null };
    return { id: `del_${n}`, ...about, ...attempt, response_status: n === 1 ? status : 204 };
  });
  return { requests, jobs: [], deliveries, ledger: [], findings: [] };
}

const LOST = [
  { site: `${ORDER} #1`, fault: 'lost_response' },
  { site: 'delivery music.generation.succeeded #1', fault: 'lost' },
];

it('does not report an order whose response and event were lost if the event samples no longer contain it', () => {
  expect(hasUnavoidableLoss(LOST, runOf(4, null))).toBe(true);
});

it.each([
  ['its event is among the samples', LOST, runOf(3, null)],
  ['its event was delivered', LOST.slice(0, 1), runOf(4, 204)],
  ['its response arrived', LOST.slice(1), runOf(4, null)],
])('reports a lost order if %s', (_, scenario, record) => {
  expect(hasUnavoidableLoss(scenario, record)).toBe(false);
});

it.each([
  ['processing', true],
  ['succeeded', false],
])('reports a lost order without a response only if its job is no longer open: %s', (status, isSpared) => {
  const record = { ...runOf(1, 204), jobs: [{ id: 'job_1', status: status as 'processing' | 'succeeded' }] };
  expect(hasUnavoidableLoss(LOST.slice(0, 1), record)).toBe(isSpared);
});
