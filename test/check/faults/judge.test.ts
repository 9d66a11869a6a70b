import { expect, it } from 'vitest';
import { findFailures } from '../../../src/check/faults/judge.ts';
import { BROKE, madeRun } from './made-run.ts';

const ERROR = "Error: expected { id: 1, state: 'lost', …(1) } to match object { state: 'sent' }";
const REFERENCE = { reference: { spends: [93], verdicts: [] }, hasApp: false };

it.each([
  ['reports nothing if an app gives up an order whose image has expired', 'GET /cdn (image) #1', 0],
  ['reports an app that gives up an order whose song has expired', 'GET /cdn #1', 1],
])('%s', (_, site, failures) => {
  const failedTests = [{ name: 'sends a postcard', error: ERROR }];
  const run = madeRun({ record: { failedTests }, failure: BROKE });
  expect(findFailures(run, [{ site, fault: 'expired' }], REFERENCE)).toHaveLength(failures);
});
