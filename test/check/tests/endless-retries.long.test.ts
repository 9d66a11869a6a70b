import { expect, it } from 'vitest';
import { MeasuredSuite, NODE_HEAD } from './measured-suite.ts';

/** Its client asks again, after a pause, as long as the service answers 500. */
const SUITE = `${NODE_HEAD}import { setTimeout as sleep } from 'node:timers/promises';
const asked = async () => {
  for (;;) {
    const answer = await chat();
    if (answer.status !== 500) return answer.json();
    await sleep(500);
  }
};
test('asks until it is answered', async () => {
  assert.equal((await asked()).usage.credits_spent, 1);
});
`;

it('ends the run with the service dead by the clock of its tests, and measures a suite that retries without end', async () => {
  const suite = new MeasuredSuite({ 'retry.test.mjs': SUITE }, [process.execPath, '--test', 'retry.test.mjs']);
  const { code, output, report } = await suite.measure(['--only', 'spent.zero']);
  expect(code, output).toBe(0);
  expect(report.control.passed_dead).toEqual([]);
  // Two a second, and no longer than a test may take, and 5 s in which nothing else begins.
  expect(report.control.requests).toBeLessThan(60);
  expect(report.lies).toMatchObject([{ lie: 'spent.zero', verdict: 'noticed' }]);
});
