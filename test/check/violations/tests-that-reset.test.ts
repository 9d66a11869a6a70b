import assert from 'node:assert/strict';
import { expect, it } from 'vitest';
import type { CommandRun } from '../../support/command-here.ts';
import { resultsOf, suiteHere } from '../checked-suite.ts';

async function reset(run: CommandRun): Promise<void> {
  assert.equal((await run.call('POST', '/_emulator/reset')).status, 204);
}

/** Two tests: one pays for a message and resets after it, the other one resets first and pays from a new account. */
async function resetting(run: CommandRun): Promise<void> {
  await run.test('resets after it', async (key) => {
    assert.ok((await run.chat(key)).body.choices);
    await reset(run);
  });
  await run.test('resets before it', async (_key, { test_id }) => {
    await reset(run);
    const { body: other } = await run.call('POST', '/_emulator/accounts', { credits: 7, test_id });
    assert.ok((await run.chat(other.api_key)).body.choices);
    assert.equal((await run.call('GET', '/v1/account', undefined, 'svc_sk_nobody')).status, 401);
  });
}

it('measures tests that reset the emulator, by what was on record before', async () => {
  const { report, output } = await (await suiteHere(resetting)).check('--only', 'charge.twice,spent.zero');
  expect(resultsOf(report), output).toEqual({ 'charge.twice': 'missed', 'spent.zero': 'missed' });
  const passed = report.findings.map(({ happened }) => happened.filter((line) => line.startsWith('Passed: ')));
  const both = ['Passed: resets after it', 'Passed: resets before it'];
  expect(passed).toEqual([expect.arrayContaining(both), expect.arrayContaining(both)]);
});

async function cleansUp(run: CommandRun): Promise<void> {
  assert.equal((await run.chat()).status, 200);
  await reset(run);
}

it('counts what a suite without fixtures asked before it reset the emulator', async () => {
  const { report, output } = await (await suiteHere(cleansUp)).check('--only', 'spent.zero');
  expect(resultsOf(report), output).toEqual({ 'spent.zero': 'missed' });
});
