import { execFileSync, spawnSync } from 'node:child_process';
import path from 'node:path';
import { expect, it } from 'vitest';
import { SuiteFolder } from '../support/suite-folder.ts';
import { shownFor } from './shown-steps.ts';

/** The folder has what it needs; the long run installs it. */
const INSTALLS = /^npm i .*\n/gm;

async function follow(language: string, searched: readonly string[] = []) {
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

const answers = (program: string, ...line: string[]) => spawnSync(program, line).status === 0;

it('gets a first green test from TypeScript', async () => {
  const { output } = await follow('TypeScript');
  expect(output).toMatch(/Tests .*1 passed/);
});

it("gets a first green test from Node's own runner", async () => {
  expect((await follow('node:test')).output).toMatch(/^# pass 1$|ℹ pass 1$/m);
});

it.skipIf(!answers('python3', '-m', 'pytest', '--version'))('gets a first green test from Python', async () => {
  const python = execFileSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' }).trim();
  expect((await follow('Python', [path.dirname(python)])).output).toContain('1 passed');
});

it.skipIf(!answers('go', 'version'))('gets a first green test from Go', async () => {
  expect((await follow('Go')).output).toContain('ok');
});

it.skipIf(!answers('java', '--version'))('gets a first green run from Java', async () => {
  expect((await follow('Java')).output).toContain('The run made 1 request and cost 1 credit');
});

it.skipIf(!answers('curl', '--version'))('gets a first green run from a shell', async () => {
  expect((await follow('curl')).output).toContain('The run made 1 request and cost 1 credit');
});
