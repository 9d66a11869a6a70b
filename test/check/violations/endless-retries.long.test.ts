import { expect, it } from 'vitest';
import { CheckedSuite, NODE_HEAD, resultsOf } from '../checked-suite.ts';

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
  const suite = new CheckedSuite({ 'retry.test.mjs': SUITE }, [process.execPath, '--test', 'retry.test.mjs']);
  const { output, report, stdout } = await suite.check('--only', 'spent.zero');
  expect(resultsOf(report), output).toEqual({ 'spent.zero': 'caught' });
  expect(stdout).not.toContain('pass although');
});
