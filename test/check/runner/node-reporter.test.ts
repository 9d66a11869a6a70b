import path from 'node:path';
import { expect, it } from 'vitest';
import { VirtualClock } from '../../../src/base/clock/virtual-clock.ts';
import {
  isReporterRejected,
  nodeReporterVariables,
  readFailedNodeTests,
} from '../../../src/check/runner/node-reporter.ts';
import { ShellProcess } from '../../../src/check/runner/shell-process.ts';
import { emptyFolder, fileOf } from '../../cli/spawned-program.ts';

const SUITE = `import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
test('opens the shop', () => {});
describe('a shop', () => {
  test('pays', () => assert.equal(502, 201));
  test('reports a loss', () => {
    throw new Error('The order is open.', { cause: new TypeError('fetch failed') });
  });
});
`;

async function run(flags: string, suite = SUITE) {
  const file = fileOf('suite.test.mjs', suite);
  const folder = path.dirname(file);
  // The suite must not inherit these variables from the process of this test.
  const { NODE_OPTIONS: _, NODE_TEST_CONTEXT: __, ...env } = process.env;
  const settings = { env: { ...env, ...nodeReporterVariables(env, folder) }, cwd: folder };
  const running = new ShellProcess(`"${process.execPath}" ${flags} "${file}"`, settings);
  const { code } = await running.end(new VirtualClock(), undefined);
  return { code, output: running.output, tests: readFailedNodeTests(folder) };
}

it.each(['--test', ''])(
  'reads each failed test of node:test with its place, error and causes (flags "%s")',
  async (flags) => {
    const { code, output, tests } = await run(flags);
    expect(code).toBe(1);
    expect(output).toContain('a shop');
    expect(tests).toMatchObject([
      {
        name: 'pays',
        file: expect.stringMatching(/suite\.test\.mjs$/),
        line: 5,
        error: expect.stringContaining('502 !== 201'),
      },
      { name: 'reports a loss', line: 6, error: 'Thrown: The order is open.\nCaused by fetch failed' },
    ]);
  },
);

it('gives no line for a failed test of node:test in a file that was compiled to one line', async () => {
  const { tests } = await run(
    '--test',
    "import { test } from 'node:test'; test('pays', () => { throw new Error('no'); });",
  );
  expect(tests).toEqual([expect.objectContaining({ name: 'pays', error: 'Thrown: no' })]);
  expect(tests[0]?.line).toBeUndefined();
});

it('recognizes a command of node:test that selects its own reporter, and adds no reporter if NODE_OPTIONS selects one', async () => {
  const { code, output } = await run('--test --test-reporter=dot');
  expect([code === 0, isReporterRejected(output)]).toEqual([false, true]);
  expect(nodeReporterVariables({ NODE_OPTIONS: '--test-reporter=dot' }, emptyFolder())).toEqual({});
});
