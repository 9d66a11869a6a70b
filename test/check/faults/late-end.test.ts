import { expect, it } from 'vitest';
import { findFailures } from '../../../src/check/faults/judge.ts';
import type { TestRow, VerdictFinding } from '../../../src/check/runner/run-record.ts';
import { BROKE, madeRequest, madeRun } from './made-run.ts';

const LATE_END = [{ site: 'job music #1', fault: 'late_end' }];
const JOB = '/v1/music/generations/job_1';
const START = Date.parse('2026-01-01T00:00:00.000Z');
const at = (ms: number) => new Date(START + ms).toISOString();

const FINDING: VerdictFinding = {
  finding: 'uncollected_job',
  account_id: 'acct_1',
  message: 'job_1 succeeded and cost 3 credits, and nobody collected it after its last read.',
  remedy: 'Read a job until it is final.',
  request_ids: ['req_1'],
  delivery_ids: [],
};

/** A run in which a job was read at these times, and whose test ended so; each in milliseconds. */
function runOf(reads: readonly number[], ended: number, error: string | null) {
  const outcome = error === null ? 'passed' : 'failed';
  const test = { ...{ id: 'test_1', name: 'sings', file: null, line: null, exclusive: false }, error, outcome };
  const tests = [{ ...test, account_ids: ['acct_1'], started: at(0), ended: at(ended) }] as unknown as TestRow[];
  const requests = reads.map((ms, n) =>
    madeRequest({ id: `req_${n + 1}`, method: 'GET', path: JOB, received_at: at(ms) }),
  );
  return madeRun({ record: { tests, requests, findings: [FINDING] }, failure: error === null ? undefined : BROKE });
}

const POLLS = [0, 200, 400, 600, 800];

it.each([
  ['the client stopped reading long before the test ended', POLLS, 3000, null, true],
  ['the client gave up, and the test noticed it', POLLS, 820, "expected 'failed' to be 'ready'", true],
  ['the client gave up with an error', POLLS, 820, 'Thrown: timed out waiting for the job', true],
  ['the test ended while the client was reading', POLLS, 900, null, false],
  ['a time limit ended the test while the client was reading', POLLS, 900, 'Thrown: Test timed out in 5000ms.', false],
  ['the client reads seldom', [0, 2000, 4000], 5500, null, false],
])(
  'reports an uncollected job under late_end only if the client stopped reading it: %s',
  (_, reads, ended, error, isFound) => {
    const run = runOf(reads, ended, error);
    const failures = findFailures(run, LATE_END, { reference: { spends: [0], verdicts: [] }, hasApp: true });
    expect(failures.map(({ code }) => code)).toEqual(isFound ? ['uncollected_job'] : []);
  },
);

it('reports no uncollected job without the fault late_end, because the test may end early', () => {
  const run = runOf(POLLS, 3000, null);
  const scenario = [{ site: 'POST /v1/music/generations #2', fault: 'empty_balance' }];
  expect(findFailures(run, scenario, { reference: { spends: [0], verdicts: [] }, hasApp: true })).toEqual([]);
});
