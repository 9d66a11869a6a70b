import path from 'node:path';
import { expect, it } from 'vitest';
import { SuiteFolder } from '../../support/suite-folder.ts';
import { runJest, runPlaywright, runVitest } from './failed-suite.ts';
import { failsBySpend } from './spends-suite.ts';

const MODULES = path.join(import.meta.dirname, '..', '..', '..', 'node_modules');
const sample = (name: string) => new SuiteFolder(path.join(import.meta.dirname, 'samples', name));

it('runs a suite of Playwright, whose page asks the service itself', async () => {
  const { code, output } = await sample('playwright').runCommand(process.execPath, [
    path.join(MODULES, '@playwright', 'test', 'cli.js'),
    'test',
  ]);
  expect(output).toContain('2 passed');
  expect(code).toBe(0);
});

it.each([
  ['vitest', runVitest],
  ['jest', runJest],
  ['playwright', runPlaywright],
] as const)('fails a test of %s that has cost something else, with the rows of the ledger', failsBySpend);
