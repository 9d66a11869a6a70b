import { execFileSync, spawnSync } from 'node:child_process';
import path from 'node:path';
import { expect, it } from 'vitest';
import { SuiteFolder } from '../support/suite-folder.ts';
import { readPage } from './follow-page.ts';

const PAGE = readPage('docs/quickstart.md');

/** What the page shows for a language: its files, and its commands in order. */
function shownFor(language: string) {
  const [, section = ''] = new RegExp(`<summary>${language}[^<]*</summary>([\\s\\S]*?)</details>`).exec(PAGE) ?? [];
  const blocks = [...section.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, kind = '', code = '']) => ({
    kind,
    code,
  }));
  const files: Record<string, string> = {};
  const commands: string[] = [];
  for (const { code } of blocks) {
    const [, name] = /^(?:\/\/|#) (\w[\w.]*\.\w+)\n/.exec(code) ?? [];
    if (name) files[name] = code;
    else commands.push(code.trim());
  }
  return { files, commands };
}

async function follow(language: string, searched: readonly string[] = []) {
  const { files, commands } = shownFor(language);
  const folder = new SuiteFolder(files);
  const PATH = [...searched, path.dirname(process.execPath), process.env.PATH].join(path.delimiter);
  let output = '';
  for (const shown of commands) {
    // On a machine that does other things too, the start of the emulator alone may take longer than a test may.
    const command = shown.replace('vitest run', 'vitest run --testTimeout=60000');
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
