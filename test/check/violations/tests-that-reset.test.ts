import { expect, it } from 'vitest';
import { resultsOf, suiteOf } from '../checked-suite.ts';

/** Two tests: one answers a message and resets after it, the other one resets first and pays from a new account. */
const SUITE = `
const reset = async () => assert.equal((await call('POST', '/_emulator/reset')).status, 204);
test('resets after it', async (key) => {
  assert.ok((await chat(key)).body.choices);
  await reset();
});
test('resets before it', async (_key, { unit_id }) => {
  await reset();
  const { body: other } = await call('POST', '/_emulator/accounts', { credits: 7, unit_id });
  assert.ok((await chat(other.api_key)).body.choices);
  assert.equal((await call('GET', '/v1/account', undefined, 'svc_sk_nobody')).status, 401);
});
`;

it('measures tests that reset the emulator, by what was on record before', async () => {
  const { report, output } = await suiteOf(SUITE).check('--only', 'charge.twice,spent.zero');
  expect(resultsOf(report), output).toEqual({ 'charge.twice': 'missed', 'spent.zero': 'missed' });
  const passed = report.findings.map(({ happened }) => happened.filter((line) => line.startsWith('Passed: ')));
  const both = ['Passed: resets after it', 'Passed: resets before it'];
  expect(passed).toEqual([expect.arrayContaining(both), expect.arrayContaining(both)]);
});

const CLEANS_UP = `
assert.equal((await chat()).status, 200);
assert.equal((await call('POST', '/_emulator/reset')).status, 204);`;

it('counts what a suite without fixtures asked before it reset the emulator', async () => {
  const { report, output } = await suiteOf(CLEANS_UP).check('--only', 'spent.zero');
  expect(resultsOf(report), output).toEqual({ 'spent.zero': 'missed' });
});
