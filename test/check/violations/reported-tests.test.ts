import assert from 'node:assert/strict';
import { expect, it } from 'vitest';
import type { CommandRun } from '../../support/command-here.ts';
import { resultsOf, smallTests, suiteHere } from '../checked-suite.ts';

const SPENT = ['--only', 'spent.*'];
const [STRONG, WEAK] = ['books what a message costs', 'returns a message'];

it('says which test caught a violation, and at which one it was missed', async () => {
  const { report, output, stdout } = await (await suiteHere(smallTests)).check(...SPENT, '--only', 'refund.of_success');
  expect(report.violations, output).toEqual([
    { name: 'refund.of_success', site: 'ledger createChatCompletion', result: 'missed', test: expect.any(String) },
    { name: 'spent.zero', site: 'POST /v1/chat/completions', result: 'caught', test: STRONG },
    { name: 'spent.one_more', site: 'POST /v1/chat/completions', result: 'caught', test: STRONG },
  ]);
  const [finding] = report.findings;
  expect(finding?.test).toMatchObject({ file: 'suite.mjs', line: expect.any(Number) });
  expect(finding?.happened).toEqual(expect.arrayContaining([`Passed: ${STRONG}`, `Passed: ${WEAK}`]));
  expect(stdout).not.toContain('pass although');
});

const STRANGER = 'was refused with a key that nobody has';

async function withStranger(run: CommandRun): Promise<void> {
  await smallTests(run);
  const { status } = await run.call('GET', '/v1/account', undefined, 'svc_sk_nobody');
  await run.test(STRANGER, async () => assert.equal(status, 401));
}

it('measures what is asked next to the tests by the whole command', async () => {
  const { report, output } = await (await suiteHere(withStranger)).check('--only', 'key.any');
  expect(report.violations, output).toMatchObject([{ name: 'key.any', site: 'GET /v1/account', result: 'caught' }]);
});

it('has a result for a violation even if the one test that meets it was to carry none', async () => {
  const suite = await suiteHere(async (run) => {
    await run.test(STRONG, async (key) => assert.equal((await run.chat(key)).body.usage.credits_spent, 1));
    await run.test(WEAK, async (key) => {
      assert.equal((await run.call('GET', '/v1/account', undefined, key)).status, 200);
    });
  });
  // By this seed the first test carries nothing in the first run.
  const { report, output } = await suite.check('--seed', '20', '--only', 'spent.zero');
  expect(resultsOf(report), output).toEqual({ 'spent.zero': 'caught' });
});
