import { expect, it } from 'vitest';
import { CheckedSuite, NODE_COMMAND, NODE_HEAD } from '../checked-suite.ts';

/** Tests that meet what belongs to no account of theirs, or to all. */
const SUITE = {
  'shop.test.mjs': `${NODE_HEAD}import { describe } from 'node:test';
test('refuses a stranger', async () => {
  assert.equal((await chat('svc_sk_nobodynobody')).status, 401);
});
test('asks for credits', async () => {
  const sent = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"credits":0}' };
  const { api_key: key } = await (await fetch(svc.emulator.url + '/_emulator/accounts', sent)).json();
  assert.equal((await chat(key)).status, 402);
});
describe('shop', () => {
  test('pays', async () => assert.equal((await chat()).status, 200));
  test('pays', async () => assert.equal((await (await chat()).json()).usage.credits_spent, 1));
});
test('parts', async (t) => {
  await t.test('a part', async () => assert.equal((await chat()).status, 200));
});
test('waits a day', async () => {
  assert.equal((await chat()).status, 200);
  await svc.emulator.clock.advance({ days: 1 });
  assert.deepEqual((await (await chat()).json()).usage, { credits_spent: 1, credits_remaining: 998 });
});
`,
};

it('measures tests that share an emulator: each has what it meets, and what moves the clock runs alone', async () => {
  const suite = new CheckedSuite(SUITE, NODE_COMMAND);
  const { report, output } = await suite.check('--only', 'key.any,402.as_200,spent.zero');
  const caught = report.violations.flatMap(({ name, result, test }) => (result === 'caught' ? [[name, test]] : []));
  expect(caught, output).toHaveLength(3);
  expect(caught).toContainEqual(['key.any', 'refuses a stranger']);
  expect(caught).toContainEqual(['402.as_200', 'asks for credits']);
  expect(report.findings).toEqual([]);
});
