import assert from 'node:assert/strict';
import { expect, it } from 'vitest';
import { ALL, checked, sixTests } from '../checked.ts';

it('reports a check as not tested if a scenario failed in a run with other scenarios and the budget ended before this was confirmed', async () => {
  let hasFailed = false;
  const suite = sixTests(async ({ status, at }) => {
    if (status !== 0 || at !== 5) return;
    // After the first failure the test hangs, so that the failure cannot be confirmed.
    if (hasFailed) await new Promise(() => {});
    hasFailed = true;
    assert.fail('no answer came');
  });
  const options = ['--only', 'lost_request', '--budget', '30s', '--jobs', '2', '--require', 'survives-lost-messages'];
  const { exitCode, stdout, report } = await checked(suite, options);
  expect([exitCode, report.findings]).toEqual([1, []]);
  const check = report.checks.find(({ id }) => id === 'survives-lost-messages');
  expect(check).toMatchObject({
    state: 'not_tested',
    why: expect.stringContaining(
      'failed once, and was not confirmed, because too little of --budget was left: lost_request at',
    ),
  });
  expect(stdout).toContain('--require survives-lost-messages: not tested');
  const [, token = ''] = /--replay (\S+)/.exec(check?.next ?? '') ?? [];
  hasFailed = false;
  expect((await checked(suite, [...ALL, '--replay', token])).exitCode).toBe(1);
});
