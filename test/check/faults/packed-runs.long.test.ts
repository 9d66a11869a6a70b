import { rmSync } from 'node:fs';
import { expect, it } from 'vitest';
import { checked, suiteWith } from './packed-suite.ts';

it('passes nothing that failed next to others and whose own run the budget ended', async () => {
  // Each run after the one that fails waits until it is ended.
  const waits = "if (existsSync('failed')) await new Promise((resolve) => setTimeout(resolve, 600_000));";
  const more = `if (status === 0 && at === 5) { ${waits} writeFileSync('failed', ''); assert.fail('no answer came'); }`;
  const folder = suiteWith(more);
  const options = ['--only', 'lost_request', '--budget', '30s', '--require', 'survives-lost-messages'];
  const { exitCode, stdout, report } = await checked(folder, ...options);
  expect([exitCode, report.findings]).toEqual([1, []]);
  const check = report.checks.find(({ id }) => id === 'survives-lost-messages');
  expect(check).toMatchObject({
    state: 'not_tested',
    why: expect.stringContaining('failed once, and the time ran out before it was confirmed: lost_request at'),
  });
  expect(stdout).toContain('--require survives-lost-messages: not tested');
  const [, token = ''] = /--replay (\S+)/.exec(check?.next ?? '') ?? [];
  rmSync(folder.file('failed'));
  expect((await checked(folder, '--replay', token)).exitCode).toBe(1);
});
