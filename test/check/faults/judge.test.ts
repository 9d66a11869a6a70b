import { expect, it } from 'vitest';
import { collectReferenceResults, findFailures } from '../../../src/check/faults/judge.ts';
import { makeFindingsOfBaselineRun } from '../../../src/check/make-findings.ts';
import type { TestRow, VerdictFinding } from '../../../src/check/runner/run-record.ts';
import type { Run } from '../../../src/check/runner/runner.ts';
import { BROKE, madeRequest, madeRun } from './made-run.ts';

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

/** A run that read a job at the times `reads`, and whose test ended at `ended`, in milliseconds. */
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

const referenceOf = (run: Run) => collectReferenceResults([run], { verdicts: [], runs: [run] });

it.each<[string, number[], number, string | null, boolean, string?]>([
  ['the client stopped reading long before the test ended', POLLS, 3000, null, true],
  ['the client gave up, and the test noticed it', POLLS, 820, "expected 'failed' to be 'ready'", true],
  ['the client gave up with an error', POLLS, 820, 'Thrown: timed out waiting for the job', true],
  ['the test ended while the client was reading', POLLS, 900, null, false],
  ['a time limit ended the test while the client was reading', POLLS, 900, 'Thrown: Test timed out in 5000ms.', false],
  ['the client reads seldom', [0, 2000, 4000], 5500, null, false],
  // Under a fault other than `late_end`, a test may end early.
  ['the fault is another one', POLLS, 3000, null, false, 'empty_balance'],
])(
  'reports an uncollected job only under the fault late_end, and only if the client stopped reading the job: %s',
  (_, reads, ended, error, isFound, fault = 'late_end') => {
    const run = runOf(reads, ended, error);
    const scenario = [{ site: 'job music #1', fault }];
    const failures = findFailures(run, scenario, { reference: referenceOf(madeRun()), hasApp: true });
    expect(failures.map(({ code }) => code)).toEqual(isFound ? ['uncollected_job'] : []);
  },
);

it.each([
  ['reports nothing if an app gives up an order whose image has expired', 'GET /cdn (image) #1', '', 0],
  ['reports an app that gives up an order because the URL of its song has expired', 'GET /cdn #1', 'a.mp3', 1],
  ['reports nothing if an app reads an image and a song at once, and the image has expired', 'GET /cdn #1', 'a.png', 0],
])('%s', (_, site, file, failures) => {
  const error = "Error: expected { id: 1, state: 'lost', …(1) } to match object { state: 'sent' }";
  const requests = [madeRequest({ method: 'GET', path: `/cdn/library/lib_1/${file}`, status: 403, fault: 'flt_1' })];
  const run = madeRun({ record: { requests, failedTests: [{ name: 'sends a postcard', error }] }, failure: BROKE });
  const reference = { ...referenceOf(madeRun()), spends: [93] };
  expect(findFailures(run, [{ site, fault: 'expired' }], { reference, hasApp: false })).toHaveLength(failures);
});

it.each([
  [[], 2, 'as often as'],
  [['retried_402', 'paid_twice'], 3, 'more often than'],
])('reports %j as a retry if a request is sent %i times under a fault, which is %s without it', (codes, count) => {
  const sent = (n: number) => Array.from({ length: n }, (_, at) => madeRequest({ id: `req_${at + 1}` }));
  const ids = { request_ids: ['req_1', 'req_2'] };
  const findings = (['retried_402', 'paid_twice'] as const).map((finding) => ({ ...FINDING, ...ids, finding }));
  const reference = referenceOf(madeRun({ record: { requests: sent(2) } }));
  const run = madeRun({ record: { requests: sent(count), findings } });
  const failures = findFailures(run, [{ site: 'a', fault: 'empty_balance' }], { reference, hasApp: true });
  expect(failures.map(({ code }) => code)).toEqual(codes);
});

it('leaves out a second payment in the baseline run if the tests made the response get lost', () => {
  const findings = [{ ...FINDING, finding: 'paid_again' as const, request_ids: ['req_1', 'req_2'] }];
  const titles = (more: object) => {
    const requests = [madeRequest(more), madeRequest({ id: 'req_2' })];
    const { record } = madeRun({ record: { requests, findings } });
    return makeFindingsOfBaselineRun(record, { version: '1.0.0', seed: 1 }).map(({ title }) => title);
  };
  expect([titles({ fault: 'flt_1' }), titles({})]).toEqual([[], ['paid_again in the baseline run']]);
});
