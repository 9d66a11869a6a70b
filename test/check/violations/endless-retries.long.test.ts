import { expect, it } from 'vitest';
import { resultsOf, suiteOf } from '../checked-suite.ts';

/** Its client asks again, after a pause, as long as the service answers 500. */
const SUITE = `import { setTimeout as sleep } from 'node:timers/promises';
const asked = async (key) => {
  for (;;) {
    const answer = await chat(key);
    if (answer.status !== 500) return answer.body;
    await sleep(500);
  }
};
test('asks until it is answered', async (key) => {
  assert.equal((await asked(key)).usage.credits_spent, 1);
});
`;

it('ends the run with the service dead by the clock of its tests, and measures a suite that retries without end', async () => {
  const { output, report, stdout } = await suiteOf(SUITE).check('--only', 'spent.zero');
  expect(resultsOf(report), output).toEqual({ 'spent.zero': 'caught' });
  expect(stdout).not.toContain('pass although');
});
