import path from 'node:path';
import { expect, it } from 'vitest';
import { SuiteFolder } from '../../support/suite-folder.ts';

const MODULES = path.join(import.meta.dirname, '..', '..', '..', 'node_modules');
const sample = (name: string) => new SuiteFolder(path.join(import.meta.dirname, 'samples', name));

it('runs a suite of Jest, from CommonJS and without a flag', async () => {
  const folder = sample('jest');
  const { code, output } = await folder.runCommand(process.execPath, [
    path.join(MODULES, 'jest', 'bin', 'jest.js'),
    ...['--rootDir', folder.file('.'), '--watchman=false', '--cacheDirectory', folder.file('.cache')],
  ]);
  expect(output).toContain('Tests:       4 passed, 4 total');
  expect(output).not.toMatch(/did not exit|open handle/);
  expect(code).toBe(0);
});

it("runs a suite of Node's own runner, and shows the requests of a test that fails", async () => {
  const line = ['--test', '--test-reporter=tap', 'orders.test.mjs'];
  const passed = await sample('node-test').runCommand(process.execPath, line);
  expect(passed.output).toMatch(/# pass 2\n/);
  expect(passed.code).toBe(0);
  const failed = await sample('node-test').runCommand(process.execPath, line, { SHOW: '1' });
  expect(failed.output).toMatch(/# Requests of acct_\w+:\n\s*# POST \/v1\/chat\/completions -> 404, 0 credits/);
  expect(failed.code).toBe(1);
});
