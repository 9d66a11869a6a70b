import { expect, it } from 'vitest';
import type { RunRecord } from '../../../src/check/runner/run-record.ts';
import { certainSites } from '../../../src/check/violations/measured-run.ts';

const READ = 'GET /v1/music/generations/{id}';
const REACHED = ['POST /v1/music/generations', READ].map((site) => ({
  ...{ violation: 'job.no_url', site, account_id: 'acct_1', times: 1, test: 'sells a song' },
}));

const at = (second: number) => `2027-01-01T00:00:0${second}.000Z`;

/** What is on record of a song whose job was read then, and whose event was answered at the third second. */
function recordOf(reads: readonly number[], { url = 'http://127.0.0.1:9000/events', status = 200 } = {}): RunRecord {
  const none = { account_id: 'acct_1', duration_ms: 1, charges: [], job_ids: [], request: null, answer: null };
  const requests = reads.map((second) => ({
    ...{ ...none, id: `req_${second}`, method: 'GET', path: '/v1/music/generations/job_1', status: 200 },
    received_at: at(second),
  }));
  const delivery = {
    ...{ id: 'dlv_1', event_id: 'evt_1', endpoint_id: 'wh_1', url, attempted_at: at(3), duration_ms: 1, error: null },
    ...{
      response_status: status,
      type: 'music.generation.succeeded',
      status: 'delivered',
      fault: null,
      subject: 'job_1',
    },
  };
  return { requests, jobs: [], deliveries: [delivery], ledger: [], findings: [] };
}

const sitesOf = (record: RunRecord) => certainSites(REACHED, () => record).map(({ site }) => site);

it('plans nothing at reads of a job that an app makes while its event is on the way', () => {
  expect(sitesOf(recordOf([1, 2]))).toEqual(['POST /v1/music/generations']);
});

it.each([
  ['after its event', recordOf([1, 4])],
  ['whose event the receiver refuses', recordOf([1], { status: 500 })],
  ['of a test with an inbox', recordOf([1], { url: 'http://127.0.0.1:1234/_emulator/inbox/box' })],
  ['without a receiver', { ...recordOf([1]), deliveries: [] }],
])('plans what it does at reads of a job %s', (_what, record) => {
  expect(sitesOf(record)).toContain(READ);
});
