import { mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { expect, it } from 'vitest';
import { VirtualClock } from '../../../src/base/clock/virtual-clock.ts';
import type { TestRow } from '../../../src/check/runner/run-record.ts';
import { commandForTests } from '../../../src/check/runner/select-tests.ts';
import { ShellProcess } from '../../../src/check/runner/shell-process.ts';
import { folderOf } from '../../cli/spawned-program.ts';

const rows = (...names: string[]) => names.map((name) => ({ name })) as unknown as TestRow[];
const PAYS = rows('shop > pays (once)', 'shop > refunds #2');

const project = folderOf({ 'package.json': { scripts: { test: 'vitest run', unit: 'node a.js' } } });

it.each([
  ['npx vitest run', "npx vitest run -t 'pays \\(once\\)|refunds'"],
  ['npx jest --ci', "npx jest --ci -t 'pays \\(once\\)|refunds'"],
  ['npx playwright test', "npx playwright test -g 'pays \\(once\\)|refunds'"],
  ['node --test shop.test.mjs', "node --test-name-pattern='pays \\(once\\)|refunds' --test shop.test.mjs"],
  ['npm test', "npm test -- -t 'pays \\(once\\)|refunds'"],
  // These commands cannot be limited to tests with these titles.
  ['npm run unit', undefined],
  ['npx vitest run -t pays', undefined],
  ['npx vitest run && npx jest', undefined],
  ['make test', undefined],
  ['pytest -q', undefined],
])(
  'changes the command %s to run only the tests with given titles, or returns undefined if it cannot: %s',
  (command, expected) => {
    expect(commandForTests(command, PAYS, project)).toBe(expected);
  },
);

it('selects tests of pytest by their names', () => {
  const command = 'python3 -m pytest -q';
  expect(commandForTests(command, rows('TestShop::test_pays[card]', 'test_refunds'))).toBe(
    "python3 -m pytest -q -k 'test_pays or test_refunds'",
  );
});

const NODE = "import { test } from 'node:test';\n";
const VITEST = "import { test } from 'vitest';\n";
const TESTS = ['pays (once)', 'refunds', 'sings']
  .map((name) => `test(${JSON.stringify(name)}, () => console.log('ran', ${JSON.stringify(name)}));\n`)
  .join('');

it.each([
  ['node:test', `${process.execPath} --test suite.test.mjs`, NODE],
  ['Vitest', 'npx vitest run --reporter=verbose', VITEST],
])('runs only the selected tests of a suite of %s', async (_, command, head) => {
  const folder = folderOf({ 'suite.test.mjs': head + TESTS });
  mkdirSync(path.join(folder, 'node_modules'));
  symlinkSync(path.resolve('node_modules/vitest'), path.join(folder, 'node_modules/vitest'));
  symlinkSync(path.resolve('node_modules/.bin'), path.join(folder, 'node_modules/.bin'));
  const running = new ShellProcess(commandForTests(command, PAYS) ?? '', { env: process.env, cwd: folder });
  expect(await running.end(new VirtualClock(), undefined)).toMatchObject({ code: 0 });
  const lines = stripVTControlCharacters(running.output);
  expect([...lines.matchAll(/^(?:# )?ran (.*)$/gm)].map(([, name]) => name)).toEqual(['pays (once)', 'refunds']);
});
