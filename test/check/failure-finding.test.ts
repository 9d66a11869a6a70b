import { expect, it } from 'vitest';
import { makeFailureFinding } from '../../src/check/failure-finding.ts';
import { BROKE, madeRun } from './faults/made-run.ts';
import { scenarioAt } from './made-report.ts';

const parts = { version: '1', seed: 1, command: 'c', verdicts: [], mask: (text: string) => text };

it.each([
  [
    'each movement of money that toHaveSpent lists below its message',
    'Error: Expected 12 credits spent, got 24 credits spent:\n  charge -12 (image), balance 988\n  charge -12 (image), balance 976',
    'Error: Expected 12 credits spent, got 24 credits spent: charge -12 (image), balance 988; charge -12 (image), balance 976',
  ],
  [
    'the values that differ instead of the legend of node:assert',
    'AssertionError: Expected values to be strictly equal:\n+ actual - expected\n\n  {\n+   a: 1\n-   a: 2\n  }',
    'AssertionError: Expected values to be strictly equal: + a: 1; - a: 2',
  ],
  [
    'the values that Jest prints below its matcher',
    'expect(received).toBe(expected) // Object.is equality\n\nExpected: 2\nReceived: 1',
    'expect(received).toBe(expected): Expected: 2; Received: 1',
  ],
  [
    'the differing fields that Jest prints below its matcher',
    'Error: expect(received).toMatchObject(expected)\n\n- Expected  - 1\n+ Received  + 1\n\n  Object {\n-   "paid": 1,\n+   "paid": 2,\n  }',
    'Error: expect(received).toMatchObject(expected): - "paid": 1,; + "paid": 2,',
  ],
  [
    'the fields that differ in an object that Vitest shortens',
    'expected { …(10) } to match object { status: \'done\', …(4) }\n-   "cost": 200,\n+   "cost": 150,',
    `expected { …(10) } to match object { status: 'done', …(4) } - "cost": 200,; + "cost": 150,`,
  ],
  ['only the first line of an error whose other lines are its stack', 'Error: lost\n    at file.js:1', 'Error: lost'],
])('shows in the error of a finding %s', (_, error, expected) => {
  const run = madeRun({ record: { failedTests: [{ name: 'buys', error }] }, failure: BROKE });
  const { finding } = makeFailureFinding(scenarioAt(['duplicate']), { run, failure: BROKE }, parts);
  expect(finding.error).toBe(expected);
});

it('reports a test that sees more spending under a lost response as a second payment', () => {
  const error = 'Error: Expected 55 credits spent and 0 refunds, got 100 credits spent and 0 refunds:';
  const run = madeRun({ record: { failedTests: [{ name: 'films', error }] }, failure: BROKE });
  const { finding } = makeFailureFinding(scenarioAt(['lost_response']), { run, failure: BROKE }, parts);
  expect(finding.check).toBe('pays-once');
});

it('shows the time limit as the reason of a hang, and no line that the app printed', () => {
  const failure = { kind: 'hang', message: 'The command did not end within 46 s and was stopped.' } as const;
  const run = madeRun({ failure, output: 'ready on http://127.0.0.1:28229' });
  const { finding } = makeFailureFinding(scenarioAt(['lost']), { run, failure }, parts);
  expect([finding.error, finding.happened[0]]).toEqual([undefined, failure.message]);
});
