import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { toolModules } from '../../tools/installed-tools.mjs';

const ROOT = path.join(import.meta.dirname, '..', '..', '..');

const nodeWith = (program: string) => [process.execPath, path.join(ROOT, 'node_modules', program)];
const JEST = path.join(await toolModules(), 'jest/bin/jest.js');

/** Where a runner looks for a suite, the two lines that this begins with, and how the runner is started. */
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
/** Vitest and Playwright hand fixtures to a test; the others have hooks. */
export const hasFixtures = (runner: Runner) => ['vitest', 'playwright'].includes(runner);

/** A test, written once for every runner. */
export interface SuiteTest {
  title: string;
  /** Statements, with the fixtures by their names. */
  work: string;
  takes?: string;
  /** What `spends` is given: the test has to cost so much. */
  cost?: string;
}

/** Such as `is(1, 1)` by its title. */
export const testsOf = (works: Readonly<Record<string, string>>): SuiteTest[] =>
  Object.entries(works).map(([title, work]) => ({ title, work }));

/** The files of a suite, as its runner has them: from its third line on what stands before the tests, and a line for each. */
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
