import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { startEmulator } from '../../../src/index.ts';
import { sampleOf } from '../../support/sample.ts';
import { SuiteFolder } from '../../support/suite-folder.ts';
import { hasPytest, runJest, runNode, runPlaywright, runVitest } from './failed-suite.ts';

const WITH_HOOKS = `const svc = emulatorFixtures();
describe('a shop', () => {
  test('sells', async () => {
    await svc.emulator.account({ credits: 5 });
  });
  test('pays', () => {});
  test('pays', () => {
    throw new Error('no money');
  });
});
`;
const WITH_FIXTURES = `describe('a shop', () => {
  test('sells', async ({ emulator, account }) => {
    await emulator.account({ credits: 5 });
  });
  test('pays', ({ account }) => {});
  test('pays', ({ account }) => {
    throw new Error('no money');
  });
  test('asks for no account', async ({ emulator }) => {
    await emulator.account({ credits: 5 });
  });
});
`;
const vitest = {
  'a.test.js': `import { describe } from 'vitest';\nimport { test } from 'svc-emulator/vitest';\n${WITH_FIXTURES}`,
};
const jest = { 'a.test.js': `const { emulatorFixtures } = require('svc-emulator/jest');\n\n${WITH_HOOKS}` };
const node = {
  'a.test.mjs': `import { describe, test } from 'node:test';\nimport { emulatorFixtures } from 'svc-emulator/node-test';\n${WITH_HOOKS}`,
};
// Playwright refuses two tests of one title in a file.
const playwright = {
  'a.spec.mjs': `import { test } from 'svc-emulator/playwright';\nconst { describe } = test;\n${WITH_FIXTURES.replace("'pays'", "'is paid'")}`,
  'playwright.config.mjs': 'export default { workers: 1 };',
};
const pytest = {
  'conftest.py': 'pytest_plugins = ["svc_emulator"]\n',
  'svc_emulator.py': readFileSync(path.join(import.meta.dirname, '../../../src/client/python/svc_emulator.py'), 'utf8'),
  'test_a.py': `import pytest


class TestShop:
    def test_sells(self, emulator, account):
        emulator.account(credits=5)

    @pytest.mark.parametrize("n", [1, 2])
    def test_pays(self, account, n):
        assert n == 1, "no money"

    def test_asks_for_no_account(self, emulator):
        emulator.account(credits=5)

    def test_skips(self, account):
        pytest.skip("not today")
`,
};

const MAIN = path.join(import.meta.dirname, '..', '..', '..', 'dist', 'main.js');

type Row = [name: string, line: number | null, accounts: number, outcome: string, error?: RegExp];

/** The units that a suite reports, oldest first, as rows; and what its failed test has printed. */
async function reported(files: Record<string, string>, command: readonly string[], asked: Record<string, string>) {
  await using emulator = await startEmulator();
  const folder = new SuiteFolder({ 'package.json': '{}', 'jest.config.json': '{}', ...files });
  const [program = '', ...line] = command;
  const env = { SVC_BASE_URL: emulator.url, ...asked };
  const { code, output } = await folder.runCommand(program, line, env);
  expect(code, output).toBe(1);
  const units = (await emulator.control.listUnits()).reverse();
  const accounts = await emulator.control.listAccounts();
  return { units, accounts, output, hasTraces: existsSync(folder.file('svc-traces')) };
}

const RUNNERS: [string, Record<string, string>, readonly string[], Row[]][] = [
  [
    'Vitest',
    vitest,
    runVitest,
    [
      ['a shop > sells', 4, 2, 'passed'],
      ['a shop > pays', null, 1, 'passed'],
      ['a shop > pays #2', null, 1, 'failed', /^no money$/],
      ['a shop > asks for no account', 11, 1, 'passed'],
    ],
  ],
  [
    'Jest',
    jest,
    runJest,
    [
      ['a shop > sells', 5, 2, 'passed'],
      ['a shop > pays', null, 1, 'passed'],
      ['a shop > pays #2', null, 1, 'failed', /^no money$/],
    ],
  ],
  [
    "Node's own runner",
    node,
    runNode('tap'),
    [
      [expect.stringMatching(/^(a shop > )?sells$/), 5, 2, 'passed'],
      [expect.stringMatching(/^(a shop > )?pays$/), null, 1, 'passed'],
      [expect.stringMatching(/^(a shop > )?pays #2$/), null, 1, 'failed', /no money$/],
    ],
  ],
  [
    'Playwright',
    playwright,
    runPlaywright,
    [
      ['a shop > sells', 4, 2, 'passed'],
      ['a shop > is paid', 7, 1, 'passed'],
      ['a shop > pays', 8, 1, 'failed', /no money/],
      ['a shop > asks for no account', 11, 1, 'passed'],
    ],
  ],
];

it.each(sampleOf(RUNNERS, 2))(
  'reports the tests of %s where it is asked to, and writes no files under mutate',
  async (_, files, command, rows) => {
    const { units, output, hasTraces } = await reported(files, command, { SVC_MUTATE: '1' });
    expect(
      units.map((each) => [each.name, each.line, each.accountIds.length, each.outcome]),
      output,
    ).toEqual(rows.map((row) => row.slice(0, 4)));
    for (const [index, row] of rows.entries()) {
      expect(units[index]?.error ?? null).toEqual(row[4] ? expect.stringMatching(row[4]) : null);
      expect(path.basename(units[index]?.file ?? '')).toMatch(/^a\.(test|spec)\.m?js$/);
      expect(Date.parse(units[index]?.ended ?? '')).toBeGreaterThanOrEqual(Date.parse(units[index]?.started ?? 'none'));
    }
    expect(output).toContain('Requests of acct_');
    expect(hasTraces).toBe(false);
  },
);

it.skipIf(!hasPytest)('reports the tests of pytest where it is asked to', async () => {
  const { units, output, hasTraces } = await reported(pytest, ['python3', '-m', 'pytest', '-q'], { SVC_MUTATE: '1' });
  expect(
    units.map((each) => [each.name, each.line, each.accountIds.length, each.outcome]),
    output,
  ).toEqual([
    ['TestShop::test_sells', 5, 2, 'passed'],
    ['TestShop::test_pays[1]', 8, 1, 'passed'],
    ['TestShop::test_pays[2]', 8, 1, 'failed'],
    ['TestShop::test_asks_for_no_account', 12, 1, 'passed'],
    ['TestShop::test_skips', 15, 1, 'skipped'],
  ]);
  expect(units[2]?.error).toMatch(/no money/);
  expect(units[2]?.file).toMatch(/test_a\.py$/);
  expect(hasTraces).toBe(false);
});

it('reports nothing where it is not asked to', async () => {
  const { units, accounts, hasTraces } = await reported(node, runNode('tap'), {});
  expect(units).toEqual([]);
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

it('prints jobs and deliveries of a failed test, and names it under exec before all else', async () => {
  const folder = new SuiteFolder({ 'songs.test.mjs': SONGS });
  const line = [MAIN, 'exec', '--', process.execPath, '--test', '--test-reporter=tap', 'songs.test.mjs'];
  const { code, output, stdout } = await folder.runCommand(process.execPath, line, { GITHUB_ACTIONS: 'true' });
  expect(code).toBe(1);
  const said = stdout.replaceAll(/^ *# /gm, '');
  expect(said).toMatch(/^Failed jobs of acct_\w+:\n +job_\w+ of \S+: out_of_tune: The render failed with out_of_tune/m);
  expect(said).toMatch(/^Deliveries to acct_\w+:\n +music\.generation\.failed to http\S+ -> 200 \(dlv_\w+\)$/m);
  const linesBelow = (heading: string) =>
    new RegExp(`^${heading}:\\n((?: {2}.*\\n)+)`, 'm').exec(output)?.[1]?.trimEnd().split('\n');
  expect(linesBelow('What went wrong in it')).toEqual([
    '  FAILED sells a song, and says that it failed (songs.test.mjs:12): the shop, 100% closed',
    '  FAILED costs more (songs.test.mjs:20): Expected 12 credits spent, got 4 credits spent and 0 refunds: charge -1 (chat.completion), balance 999; charge -3 (chat.completion), balance 996',
    expect.stringMatching(/^ {2}POST \/v1\/images\/generations -> 400 invalid_request: /),
    expect.stringMatching(/^ {2}--trace FILE shows the whole run, --keep FOLDER keeps it/),
  ]);
  expect(linesBelow('Failures that its tests asked for, by fault rules, directives and lies')).toEqual([
    expect.stringMatching(/^ {2}job of \S+ failed: out_of_tune: /),
  ]);
  expect(output).toContain(
    '::error file=songs.test.mjs,line=12,title=sells a song%2C and says that it failed::the shop, 100%25 closed\n',
  );
  expect(output).not.toContain('::notice title=svc-emulator::FAILED');
});
