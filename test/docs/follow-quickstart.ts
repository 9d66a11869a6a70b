import path from 'node:path';
import { expect } from 'vitest';
import { SuiteFolder } from '../support/suite-folder.ts';
import { shownFor } from './shown-steps.ts';

/** The folder has what it needs; the long run installs it. */
const INSTALLS = /^npm i .*\n/gm;

/** Does in a folder of its own what the quick start shows for a language. `searched` are folders of programs. */
export async function follow(language: string, searched: readonly string[] = []) {
  const { files, commands } = shownFor(language);
  const folder = new SuiteFolder(files);
  const PATH = [...searched, path.dirname(process.execPath), process.env.PATH].join(path.delimiter);
  let output = '';
  for (const shown of commands) {
    // On a machine that does other things too, the start of the emulator alone may take longer than a test may.
    const command = shown.replace(INSTALLS, '').replace('vitest run', 'vitest run --testTimeout=60000');
    const ended = await folder.runCommand('bash', ['-c', command], { PATH, HOME: folder.file('.') });
    output += ended.output;
    expect(ended.code, ended.output).toBe(0);
  }
  return { commands, output };
}
