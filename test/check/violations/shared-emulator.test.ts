import assert from 'node:assert/strict';
import { expect, it } from 'vitest';
import type { CommandRun } from '../../support/command-here.ts';
import { suiteHere } from '../checked-suite.ts';

/** Tests that meet what belongs to no account of theirs, or to all. */
async function sharing(run: CommandRun): Promise<void> {
  await run.test('refuses a stranger', async () => {
    assert.equal((await run.chat('svc_sk_nobodynobody')).status, 401);
  });
  await run.test('asks for credits', async () => {
    const { body } = await run.call('POST', '/_emulator/accounts', { credits: 0 });
    assert.equal((await run.chat(body.api_key)).status, 402);
  });
  await run.test('pays', async (key) => assert.equal((await run.chat(key)).status, 200));
  await run.test('pays', async (key) => assert.equal((await run.chat(key)).body.usage.credits_spent, 1));
  await run.test('waits a day', async (key) => {
    assert.equal((await run.chat(key)).status, 200);
    assert.equal((await run.call('POST', '/_emulator/clock/advance', { seconds: 86_400 })).status, 200);
    assert.deepEqual((await run.chat(key)).body.usage, { credits_spent: 1, credits_remaining: 998 });
  });
}

it('measures tests that share an emulator: each has what it meets, and what moves the clock runs alone', async () => {
  const { report, output } = await (await suiteHere(sharing)).check('--only', 'key.any,402.as_200,spent.zero');
  const caught = report.violations.flatMap(({ name, result, test }) => (result === 'caught' ? [[name, test]] : []));
  expect(caught, output).toHaveLength(3);
  expect(caught).toContainEqual(['key.any', 'refuses a stranger']);
  expect(caught).toContainEqual(['402.as_200', 'asks for credits']);
  expect(report.findings).toEqual([]);
});
