import { expect, it } from 'vitest';
import { MAIN } from '../../cli/spawned-program.ts';
import { SuiteFolder } from '../../support/suite-folder.ts';
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

/** One with fixtures and one with hooks; the long run has the other two. */
it.each(['vitest', 'node:test'] as const)(
  'reports the tests of %s under check by one control operation at each begin and end, and writes no traces',
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

it('does not report tests to the emulator by default, but writes traces of failed tests', async () => {
  const { tests, accounts, hasTraces } = await reported(shopSuite('node:test'), commandOf('node:test'), {});
  expect(tests).toEqual([]);
  // The seeded one, those of the fixtures, and those of the tests themselves.
  expect(accounts).toHaveLength(1 + 3 + 1);
  expect(hasTraces).toBe(true);
});

const SONGS = `import { test } from 'node:test';
import { emulatorFixtures } from 'svc-emulator/node-test';

const svc = emulatorFixtures();
const send = (path, body) =>
  fetch(svc.emulator.url + path, {
    method: 'POST',
    headers: { authorization: 'Bearer ' + svc.account.apiKey, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

test('sells a song, and says that it failed', async () => {
  await send('/v1/webhooks', { url: svc.inbox.url, events: ['music.generation.failed'] });
  await send('/v1/music/generations', { prompt: 'a waltz [[fail:out_of_tune]]', seconds: 30, n: 1 });
  await svc.account.waitFor.idle();
  await send('/v1/images/generations', {});
  throw new Error('the shop, 100% closed');
});
test('passes', () => {});
test('costs more', svc.spends({ credits: 12 }, async () => {
  const messages = [{ role: 'user', content: 'Hello.' }];
  for (const model of ['svc-rp-mini', 'svc-rp-plus']) await send('/v1/chat/completions', { model, messages });
}));
`;

it('prints jobs and deliveries of a failed test, and names the test first under exec', async () => {
  const folder = new SuiteFolder({ 'songs.test.mjs': SONGS });
  const line = [MAIN, 'exec', '--', process.execPath, '--test', '--test-reporter=tap', 'songs.test.mjs'];
  const { code, output, stdout } = await folder.runCommand(process.execPath, line, { GITHUB_ACTIONS: 'true' });
  expect(code).toBe(1);
  const said = stdout.replaceAll(/^ *# /gm, '');
  expect(said).toMatch(/^Failed jobs of acct_\w+:\n +job_\w+ of \S+: out_of_tune: The render failed with out_of_tune/m);
  expect(said).toMatch(/^Deliveries to acct_\w+:\n +music\.generation\.failed to http\S+ -> 200 \(dlv_\w+\)$/m);
  const linesBelow = (heading: string) =>
    new RegExp(`^${heading}:\\n((?: {2}.*\\n)+)`, 'm').exec(output)?.[1]?.trimEnd().split('\n');
  expect(linesBelow('Failures of this run')).toEqual([
    '  FAILED sells a song, and says that it failed (songs.test.mjs:17): the shop, 100% closed',
    '  FAILED costs more (songs.test.mjs:20): Expected 12 credits spent, got 4 credits spent and 0 refunds: charge -1 (chat.completion), balance 999; charge -3 (chat.completion), balance 996',
    expect.stringMatching(/^ {2}POST \/v1\/images\/generations -> 400 invalid_request: /),
    expect.stringMatching(/^ {2}--trace FILE shows the whole run, --keep FOLDER keeps it/),
  ]);
  expect(linesBelow('Failures that the tests asked for, by fault rules and directives')).toEqual([
    expect.stringMatching(/^ {2}job of \S+ failed: out_of_tune: /),
  ]);
  expect(output).toContain(
    '::error file=songs.test.mjs,line=17,title=sells a song%2C and says that it failed::the shop, 100%25 closed\n',
  );
  expect(output).not.toContain('::notice title=svc-emulator::FAILED');
});
