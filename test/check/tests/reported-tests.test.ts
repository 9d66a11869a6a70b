import { expect, it } from 'vitest';
import { MeasuredSuite, NODE_COMMAND, NODE_SUITE } from './measured-suite.ts';

const SPENT = ['--only', 'spent.*'];
const [STRONG, WEAK] = ['books what a message costs', 'answers a message'];

it('carries lies at several tests in one run, and says which test noticed each and which did not', async () => {
  const suite = new MeasuredSuite(NODE_SUITE, NODE_COMMAND);
  const { code, report, output } = await suite.measure([...SPENT, '--all-units']);
  expect(code, output).toBe(0);
  expect(report.units).toMatchObject([
    { name: STRONG, file: 'shop.test.mjs', line: 10 },
    { name: WEAK, file: 'shop.test.mjs', line: 14 },
  ]);
  const rows = report.lies.map(({ lie, unit, verdict }) => [lie, unit, verdict]).sort();
  expect(rows).toEqual(
    [
      ['spent.zero', STRONG, 'noticed'],
      ['spent.zero', WEAK, 'survived'],
      ['spent.one_more', STRONG, 'noticed'],
      ['spent.one_more', WEAK, 'survived'],
    ].sort(),
  );
  expect(report.families).toEqual({ money: { told: 2, noticed: 2 } });
  expect(report.measured.placebos.noticed).toBe(0);
  expect(report.control).toMatchObject({ requests: 2, passed_dead: [] });
});

const STRANGER = 'was refused with a key that nobody has';
const STRANGER_SUITE = {
  'shop.test.mjs': `${NODE_SUITE['shop.test.mjs']}
const headers = { authorization: 'Bearer svc_sk_nobody' };
const { status } = await fetch(process.env.SVC_BASE_URL + '/v1/account', { headers });
test('${STRANGER}', () => assert.equal(status, 401));
`,
};

it('measures what is asked beside the tests by the whole command, and takes none of its tests for a placebo then', async () => {
  const suite = new MeasuredSuite(STRANGER_SUITE, NODE_COMMAND);
  const { report, output } = await suite.measure(['--only', 'key.any', '--only', 'extra_field']);
  expect(report.lies, output).toMatchObject([{ lie: 'key.any', site: 'GET /v1/account', verdict: 'noticed' }]);
  expect(report.measured.placebos.noticed).toBe(0);
});

it('has a verdict for a lie also where the one test that meets it was to carry none', async () => {
  const others = `test('${WEAK}'${NODE_SUITE['shop.test.mjs'].split(`test('${WEAK}'`)[1]}`;
  const account = others.replace('await chat()', "await fetch(svc.emulator.url + '/v1/account')").replace('200', '401');
  const suite = new MeasuredSuite(
    { 'shop.test.mjs': NODE_SUITE['shop.test.mjs'].replace(others, account) },
    NODE_COMMAND,
  );
  // By this seed the first test carries nothing in the first run.
  const { report, output } = await suite.measure(['--seed', '20', '--only', 'spent.zero']);
  expect(report.lies, output).toMatchObject([{ lie: 'spent.zero', unit: STRONG, verdict: 'noticed' }]);
});
