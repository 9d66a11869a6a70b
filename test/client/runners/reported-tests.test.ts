import { expect, it } from 'vitest';
import { BEGIN, END, NO_MONEY, reported, reportsTests, shopSuite } from './reported-tests.ts';
import { commandOf, hasPytest, PYTEST, pytestSuite } from './runner-suites.ts';

const PYTHON = `import pytest


class TestShop:
    def test_sells(self, emulator, account):
        emulator.account(credits=5)

    @pytest.mark.parametrize("n", [1, 2])
    def test_pays(self, account, n):
        if n == 2:
            raise RuntimeError("no money") from ConnectionError("fetch failed")

    def test_asks_for_no_account(self, emulator):
        emulator.account(credits=5)

    def test_skips(self, account):
        pytest.skip("not today")
`;

/** One runner with fixtures and one with hooks. The long tests run the other two. */
it.each(['vitest', 'node:test'] as const)(
  'reports each test of %s under check by one control operation at its begin and one at its end, and writes no traces',
  reportsTests,
);

it.skipIf(!hasPytest)(
  'reports each pytest test under check by one control operation at its begin and one at its end, with its line, outcome and error',
  async () => {
    const { tests, rows, calls, output, hasTraces } = await reported(pytestSuite(PYTHON), PYTEST, { SVC_CHECK: '1' });
    expect(rows, output).toEqual([
      ['TestShop::test_sells', 5, 2, 'passed', null],
      ['TestShop::test_pays[1]', 8, 1, 'passed', null],
      ['TestShop::test_pays[2]', 8, 1, 'failed', NO_MONEY],
      ['TestShop::test_asks_for_no_account', 13, 1, 'passed', null],
      ['TestShop::test_skips', 16, 1, 'skipped', null],
    ]);
    expect(tests[2]?.file).toMatch(/test_a\.py$/);
    expect(calls.slice(0, 5)).toEqual([BEGIN, BEGIN, END, BEGIN, END]);
    expect(hasTraces).toBe(false);
  },
);

it('reports no tests to an emulator outside exec and check, but writes traces of failed tests', async () => {
  const { tests, accounts, hasTraces } = await reported(shopSuite('node:test'), commandOf('node:test'), {});
  expect(tests).toEqual([]);
  // The seeded account, the accounts of the fixtures, and the account that a test opens.
  expect(accounts).toHaveLength(1 + 3 + 1);
  expect(hasTraces).toBe(true);
});
