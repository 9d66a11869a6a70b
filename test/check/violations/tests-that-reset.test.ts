import { expect, it } from 'vitest';
import { CheckedSuite, NODE_HEAD, resultsOf, suiteOf } from '../checked-suite.ts';

/** Two tests: one answers a message and resets after it, the other one resets first and pays from a new account. */
const SUITE = `${NODE_HEAD}test('resets after it', async () => {
  const body = await (await chat()).json();
  assert.ok(body.choices);
  await svc.emulator.reset();
});
test('resets before it', async () => {
  await svc.emulator.reset();
  const body = await (await chat((await svc.emulator.account({ credits: 7 })).apiKey)).json();
  assert.ok(body.choices);
  assert.equal((await fetch(svc.emulator.url + '/v1/account')).status, 401);
});
`;

it('measures tests that reset the emulator, by what was on record before', async () => {
  const suite = new CheckedSuite({ 'reset.test.mjs': SUITE }, [process.execPath, '--test', 'reset.test.mjs']);
  const { report, output } = await suite.check('--only', 'charge.twice,spent.zero');
  expect(resultsOf(report), output).toEqual({ 'charge.twice': 'missed', 'spent.zero': 'missed' });
  const passed = report.findings.map(({ happened }) => happened.filter((line) => line.startsWith('Passed: ')));
  const both = ['Passed: resets after it', 'Passed: resets before it'];
  expect(passed).toEqual([expect.arrayContaining(both), expect.arrayContaining(both)]);
});

const CLEANS_UP = `
assert.equal((await chat()).status, 200);
assert.equal((await call('POST', '/_emulator/reset')).status, 204);`;

it('counts what a suite without fixtures asked before it reset the emulator', async () => {
  const { report, output } = await suiteOf({ text: CLEANS_UP }).check('--only', 'spent.zero');
  expect(resultsOf(report), output).toEqual({ 'spent.zero': 'missed' });
});
