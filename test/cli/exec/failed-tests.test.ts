import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { commandOf, hasPytest, PYTEST, pytestSuite } from '../../client/runners/runner-suites.ts';
import { SuiteFolder } from '../../support/suite-folder.ts';
import { emptyFolder, MAIN } from '../spawned-program.ts';

interface Mixed {
  files: Record<string, string>;
  command: readonly string[];
  /** The line, title and message of each failure in the annotations for GitHub. */
  places: readonly string[];
}

const NODE = `import assert from 'node:assert';
import { describe, test } from 'node:test';
import { emulatorFixtures } from 'svc-emulator/node-test';
test('works', () => {
  assert.equal(1 + 1, 3);
});
describe('shop', () => {
  const svc = emulatorFixtures();
  test('works', () => {
    assert.equal(typeof svc.account.id, 'payg');
  });
});
describe('other', () => {
  test('works, 100%', () => {
    throw new Error('sold out, 100%');
  });
});
describe('cost', () => {
  const svc = emulatorFixtures();
  test('is more', svc.spends({ credits: 12 }, async () => {
    const headers = { authorization: 'Bearer ' + svc.account.apiKey, 'content-type': 'application/json' };
    const messages = [{ role: 'user', content: 'Hello.' }];
    for (const model of ['svc-rp-mini', 'svc-rp-plus'])
      await fetch(svc.emulator.baseUrl + '/chat/completions', { method: 'POST', headers, body: JSON.stringify({ model, messages }) });
  }));
});
`;
const ROWS = 'charge -1 (chat.completion), balance 999; charge -3 (chat.completion), balance 996';
const NODE_PLACES = [
  "line=10,title=shop > works::'string' == 'payg'",
  'line=5,title=works::2 == 3',
  'line=15,title=works%2C 100%25::sold out, 100%25',
  `line=20,title=cost > is more::Expected 12 credits spent, got 4 credits spent and 0 refunds: ${ROWS}`,
];

/** Suites in which tests with and without the fixtures fail. */
const SUITES: Record<string, Mixed> = {
  vitest: {
    files: {
      'a.test.js': `import { describe, expect, it } from 'vitest';
import { test } from 'svc-emulator/vitest';
it('works', () => {
  const sum = 1 + 1;
  expect(sum).toBe(3);
});
describe('group', () => {
  it('works', () => {
    throw new Error('sold out');
  });
});
test('has an account', async ({ account }) => {
  const plan = typeof account.id;
  expect(plan).toBe('payg');
});
`,
    },
    command: commandOf('vitest'),
    places: [
      "line=14,title=has an account::expected 'string' to be 'payg' // Object.is equality",
      'line=5,title=works::AssertionError: expected 2 to be 3 // Object.is equality',
      'line=9,title=group > works::Error: sold out',
    ],
  },
  jest: {
    files: {
      'jest.config.json': '{}',
      'a.test.js': `const { emulatorFixtures } = require('svc-emulator/jest');
test('works', () => {
  expect(1 + 1).toBe(3);
});
describe('shop', () => {
  const svc = emulatorFixtures();
  test('works', () => {
    expect(typeof svc.account.id).toBe('payg');
  });
});
`,
    },
    command: commandOf('jest'),
    places: [
      'line=8,title=shop > works::expect(received).toBe(expected) // Object.is equality',
      'line=3,title=works::expect(received).toBe(expected) // Object.is equality',
    ],
  },
  'node:test, which prints TAP': {
    files: { 'a.test.mjs': NODE },
    command: commandOf('node:test'),
    places: NODE_PLACES,
  },
  'node:test, which prints a tree': {
    files: { 'a.test.mjs': NODE },
    command: commandOf('node:test').map((each) => each.replace('=tap', '=spec')),
    places: NODE_PLACES.map((each) =>
      each.replace('works::2', 'works::AssertionError [ERR_ASSERTION]: 2').replace('::sold', '::Error: sold'),
    ),
  },
  playwright: {
    files: {
      'playwright.config.mjs': 'export default { workers: 1, reporter: "list" };',
      'a.spec.mjs': `import { expect, test as plain } from '@playwright/test';
import { test } from 'svc-emulator/playwright';
plain.describe(() => {
  plain.describe.configure({ retries: 1 });
  plain('works', () => {
    expect(1 + 1).toBe(3);
  });
  plain('works at the second try', ({}, { retry }) => {
    expect(retry).toBe(1);
  });
});
test('has an account', ({ account }) => {
  expect(typeof account.id).toBe('payg');
});
`,
    },
    command: commandOf('playwright'),
    places: [
      'line=13,title=has an account::Error: expect(received).toBe(expected) // Object.is equality',
      'line=6,title=works::Error: expect(received).toBe(expected) // Object.is equality',
    ],
  },
  ...(hasPytest && {
    pytest: {
      files: pytestSuite(`class TestShop:
    def test_adds(self):
        assert 1 + 1 == 3

def test_account(account):
    plan = type(account.id).__name__
    assert plan == "payg"
`),
      command: PYTEST,
      places: [
        "line=7,title=test_account::test_a.py:7: AssertionError: assert 'str' == 'payg'",
        'line=3,title=test_a.py%3A%3ATestShop%3A%3Atest_adds::assert (1 + 1) == 3',
      ],
    },
  }),
};

/** Runs a suite in a folder of a checkout, as a job of GitHub Actions does. */
async function runInCi({ files, command }: Pick<Mixed, 'files' | 'command'>) {
  const folder = new SuiteFolder({ 'package.json': '{}', ...files });
  const [page, xml] = ['page.md', 'run.xml'].map((name) => path.join(emptyFolder(), name)) as [string, string];
  const line = [MAIN, 'exec', '--min-requests', '0', '--summary', page, '--report', xml, '--', ...command];
  const env = { GITHUB_ACTIONS: 'true', CI: 'true', GITHUB_WORKSPACE: folder.file('..'), TMPDIR: emptyFolder() };
  const { code, output } = await folder.runCommand(process.execPath, line, env);
  const project = path.basename(folder.file('.'));
  const annotations = output.split('\n').filter((each) => each.startsWith('::error'));
  return { code, output, project, annotations, page: readFileSync(page, 'utf8'), xml: readFileSync(xml, 'utf8') };
}

it.each(Object.keys(SUITES))(
  'reports each failed test of a suite in %s once, with its reason and line, even if it does not use the fixtures',
  async (name) => {
    const { files, command, places } = SUITES[name] as Mixed;
    const { code, output, project, annotations, page, xml } = await runInCi({ files, command });
    expect(code, output).not.toBe(0);
    const file = Object.keys(files).at(-1);
    expect(annotations.toSorted(), output).toEqual(
      places.toSorted().map((place) => `::error file=${project}/${file},${place}`),
    );
    for (const place of places) {
      const [, line, title = '', message] = /^line=(\d+),title=(.+?)::(.*)$/.exec(place) ?? [];
      const failed = `FAILED ${decodeURIComponent(title)} (${file}:${line}): ${decodeURIComponent(message ?? '')}`;
      expect(output.split(`  ${failed}\n`)).toHaveLength(2);
      expect(page.split(`- \`${failed}\`\n`)).toHaveLength(2);
    }
    expect(output).toMatch(/^Failures of this run:\n {2}FAILED /m);
    expect(output).not.toContain('::notice title=svc-emulator::FAILED');
    expect(xml.match(/<testcase classname="a\.(?:test|spec)\.m?js"|<testcase classname="test_a\.py"/g)).toHaveLength(
      places.length,
    );
  },
);
