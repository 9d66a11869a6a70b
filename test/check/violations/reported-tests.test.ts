import { expect, it } from 'vitest';
import { resultsOf, SMALL_TESTS, suiteOf } from '../checked-suite.ts';

const SPENT = ['--only', 'spent.*'];
const [STRONG, WEAK] = ['books what a message costs', 'returns a message'];

it('says which test caught a violation, and at which one it was missed', async () => {
  const { report, output, stdout } = await suiteOf(SMALL_TESTS).check(...SPENT, '--only', 'refund.of_success');
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
const STRANGER_SUITE = `${SMALL_TESTS}
const { status } = await call('GET', '/v1/account', undefined, 'svc_sk_nobody');
test('${STRANGER}', () => assert.equal(status, 401));
`;

it('measures what is asked next to the tests by the whole command', async () => {
  const { report, output } = await suiteOf(STRANGER_SUITE).check('--only', 'key.any');
  expect(report.violations, output).toMatchObject([{ name: 'key.any', site: 'GET /v1/account', result: 'caught' }]);
});

it('has a result for a violation even if the one test that meets it was to carry none', async () => {
  const text = SMALL_TESTS.replace(
    'assert.equal((await chat(key)).status, 200)',
    "assert.equal((await call('GET', '/v1/account')).status, 200)",
  );
  // By this seed the first test carries nothing in the first run.
  const { report, output } = await suiteOf(text).check('--seed', '20', '--only', 'spent.zero');
  expect(resultsOf(report), output).toEqual({ 'spent.zero': 'caught' });
});
