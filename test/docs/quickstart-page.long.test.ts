import { execFileSync, spawnSync } from 'node:child_process';
import path from 'node:path';
import { expect, it } from 'vitest';
import { follow } from './follow-quickstart.ts';

const answers = (program: string, ...line: string[]) => spawnSync(program, line).status === 0;

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
