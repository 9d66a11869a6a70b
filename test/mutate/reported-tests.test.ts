import { expect, it } from 'vitest';
import { MeasuredSuite, NODE_COMMAND, NODE_SUITE } from './reported-suite.ts';

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
