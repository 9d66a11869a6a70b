import path from 'node:path';
import { expect, it } from 'vitest';
import { SuiteFolder } from '../support/suite-folder.ts';
import { shownFor } from './follow-page.ts';

/** Installations are skipped here. `first-tests.long.test.ts` runs them, and tests the other languages. */
const INSTALLS = /^npm i .*\n/gm;

it('passes the first TypeScript test of the quick start', async () => {
  const { files, commands } = shownFor('TypeScript');
  const folder = new SuiteFolder(files);
  const PATH = [path.dirname(process.execPath), process.env.PATH].join(path.delimiter);
  let output = '';
  for (const shown of commands) {
    // On a busy machine, the start of the emulator alone may exceed the usual time limit of a test.
    const command = shown.replace(INSTALLS, '').replace('vitest run', 'vitest run --testTimeout=60000');
    const ended = await folder.runCommand('bash', ['-c', command], { PATH, HOME: folder.file('.') });
    output += ended.output;
    expect(ended.code, ended.output).toBe(0);
  }
  expect(output).toMatch(/Tests .*1 passed/);
});
