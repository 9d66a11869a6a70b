import { expect, it } from 'vitest';
import { findFailures } from '../../../src/check/faults/judge.ts';
import { BROKE, madeRequest, madeRun } from './made-run.ts';

const ERROR = "Error: expected { id: 1, state: 'lost', …(1) } to match object { state: 'sent' }";
const EXPIRED = [{ site: 'GET /cdn #1', fault: 'expired' }];
const REFERENCE = { reference: { spends: [93], verdicts: [] }, hasApp: false };

it.each([
  ['reports nothing if an app gives up an order whose image has expired', '/cdn/library/lib_1/job_1.png', 0],
  ['reports an app that gives up an order whose song has expired', '/cdn/library/lib_1/job_1.mp3', 2],
])('%s', (_, path, failures) => {
  const failedTests = [{ name: 'sends a postcard', error: ERROR }];
  const requests = [madeRequest({ method: 'GET', path, status: 403 })];
  const run = madeRun({ record: { requests, failedTests }, failure: BROKE });
  expect(findFailures(run, EXPIRED, REFERENCE)).toHaveLength(failures);
});
