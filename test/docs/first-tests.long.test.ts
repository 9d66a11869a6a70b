import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { emptyFolder } from '../cli/spawned-program.ts';
import { shownFor } from './follow-page.ts';
import { runAsReader } from './terminal.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');
/** The folder in which the tarball is installed once. Each language uses a copy of it. */
const installed = emptyFolder();

function run(command: string, cwd: string): string {
  const { status, output } = runAsReader(command, cwd);
  expect(status, `${command}\n${output}`).toBe(0);
  return output;
}

const answers = (program: string, ...line: string[]) => spawnSync(program, line).status === 0;

beforeAll(() => {
  run(`npm pack --ignore-scripts --pack-destination "${installed}"`, ROOT);
  run('npm i -D --prefer-offline ./svc-emulator-*.tgz', installed);
}, 600_000);

/** Languages of the page, whether they are installed here, and the expected output of a successful run. */
const LANGUAGES: readonly [string, boolean, RegExp][] = [
  ['TypeScript', true, /Tests .*1 passed/],
  ['Jest', true, /Tests: +1 passed/],
  ['node:test', true, /pass 1/],
  ['Playwright', true, /1 passed/],
  ['Python', answers('python3', '-m', 'pytest', '--version'), /1 passed/],
  ['Java', answers('java', '--version'), /The run made 1 request and cost 1 credit/],
  ['curl', answers('curl', '--version'), /The run made 1 request and cost 1 credit/],
];

for (const [language, isHere, green] of LANGUAGES) {
  it.runIf(isHere)(`passes a first test in ${language} with the tarball and the documented commands`, () => {
    const folder = emptyFolder();
    run(`cp -al "${installed}/." .`, folder);
    const { files, commands } = shownFor(language);
    for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text);
    expect(commands.map((command) => run(command, folder)).join('')).toMatch(green);
  });
}
