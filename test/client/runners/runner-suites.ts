import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { toolModules } from '../../tools/installed-tools.mjs';

const ROOT = path.join(import.meta.dirname, '..', '..', '..');

const nodeWith = (program: string) => [process.execPath, path.join(ROOT, 'node_modules', program)];
const JEST = path.join(await toolModules(), 'jest/bin/jest.js');

/** The test file, its first two lines, and the command of each runner. */
const RUNNERS = {
  vitest: {
    file: 'a.test.js',
    head: "import { describe } from 'vitest';\nimport { expectSpend, spends, test } from 'svc-emulator/vitest';",
    command: [...nodeWith('vitest/vitest.mjs'), 'run', '--testTimeout=60000'],
  },
  playwright: {
    file: 'a.spec.mjs',
    head: "import { expectSpend, spends, test } from 'svc-emulator/playwright';\nconst { describe } = test;",
    command: [...nodeWith('@playwright/test/cli.js'), 'test'],
  },
  jest: {
    file: 'a.test.js',
    head: "const { emulatorFixtures, expectSpend } = require('svc-emulator/jest');\njest.setTimeout(60000); const svc = emulatorFixtures();",
    command: [process.execPath, JEST, '--rootDir=.', '--watchman=false'],
  },
  'node:test': {
    file: 'a.test.mjs',
    head: "import { describe, test } from 'node:test'; import { emulatorFixtures, expectSpend } from 'svc-emulator/node-test';\nconst svc = emulatorFixtures();",
    command: [process.execPath, '--test', '--test-reporter=tap', 'a.test.mjs'],
  },
};

export type Runner = keyof typeof RUNNERS;

export const commandOf = (runner: Runner): readonly string[] => RUNNERS[runner].command;
/** Vitest and Playwright pass fixtures to a test. The other runners have hooks. */
export const hasFixtures = (runner: Runner) => ['vitest', 'playwright'].includes(runner);

/** A test, written once for every runner. */
export interface SuiteTest {
  title: string;
  /** Statements that use the fixtures by their names. */
  work: string;
  takes?: string;
  /** The argument of `spends`: the expected cost of the test. */
  cost?: string;
}

/** Tests with these statements, by title. */
export const testsOf = (works: Readonly<Record<string, string>>): SuiteTest[] =>
  Object.entries(works).map(([title, work]) => ({ title, work }));

/** The files of a suite. In the test file, `before` begins at the third line, and each test takes one line. */
export function suiteOf(runner: Runner, tests: readonly SuiteTest[], before = '', after = ''): Record<string, string> {
  const { file, head } = RUNNERS[runner];
  const line = hasFixtures(runner) ? lineWithFixtures : lineWithHooks;
  return {
    'package.json': '{}',
    'jest.config.json': '{}',
    'playwright.config.mjs': 'export default { workers: 1, timeout: 60000, reporter: process.env.REPORTER ?? "list" };',
    [file]: [head, before, ...tests.map(line), after].join('\n'),
  };
}

function lineWithFixtures({ title, work, takes = 'emulator, account', cost }: SuiteTest): string {
  const test = cost === undefined ? 'test' : `spends(${cost}, test)`;
  return `${test}(${JSON.stringify(title)}, async ({ ${takes} }) => { ${work} });`;
}

function lineWithHooks({ title, work, takes = 'emulator, account', cost }: SuiteTest): string {
  const body = `async () => { const { ${takes} } = svc; ${work} }`;
  return `test(${JSON.stringify(title)}, ${cost === undefined ? body : `svc.spends(${cost}, ${body})`});`;
}

export const PYTEST = ['python3', '-m', 'pytest', '-p', 'no:cacheprovider'];
export const hasPytest = spawnSync('python3', ['-m', 'pytest', '--version']).status === 0;

export function pytestSuite(tests: string): Record<string, string> {
  const client = readFileSync(path.join(ROOT, 'src', 'client', 'python', 'svc_emulator.py'), 'utf8');
  return { 'conftest.py': 'pytest_plugins = ["svc_emulator"]\n', 'svc_emulator.py': client, 'test_a.py': tests };
}
