import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { runCommand } from '../support/run-command.ts';
import { emptyFolder, folderOf } from './spawned-program.ts';

const isPosix = process.platform !== 'win32';
const NOTHING = ['--', process.execPath, '-e', ''];
/** None of these may be started: what cannot be written is refused before. */
const LEAVES_A_SIGN = ['--', process.execPath, '-e', "require('node:fs').writeFileSync('started', '')"];

/** A folder with what a path may be instead of a file: a folder, a named pipe, a full device. */
function strangeFolder(): string {
  const folder = emptyFolder();
  mkdirSync(path.join(folder, 'folder.json'));
  mkdirSync(path.join(folder, 'elsewhere'));
  if (!isPosix) return folder;
  execFileSync('mkfifo', [path.join(folder, 'pipe.json')]);
  symlinkSync('/dev/full', path.join(folder, 'full.json'));
  symlinkSync('elsewhere/target.json', path.join(folder, 'link.json'));
  return folder;
}

/** Refuses a line with 2 and this text, before anything is started. */
async function expectRefusal(line: readonly string[], folder: string, told: RegExp | string): Promise<void> {
  const { exitCode, stdout, stderr } = await runCommand(line, { CI: '' }, folder);
  expect([exitCode, stdout, stderr]).toEqual([2, '', expect.stringMatching(told)]);
  expect(stderr).not.toContain('    at ');
  expect(existsSync(path.join(folder, 'started'))).toBe(false);
}

it
  .runIf(isPosix)
  .each([
    ...['--report', '--trace', '--summary'].map((option) => ['exec', option]),
    ['check', '--report'],
    ['demo', '--share'],
    ['python-client', '--out'],
  ])('refuses with 2 %s whose %s is a folder or a pipe, before anything runs', async (command, option) => {
  const folder = strangeFolder();
  const line = ['demo', 'python-client'].includes(String(command)) ? [] : LEAVES_A_SIGN;
  for (const file of ['folder.json', 'pipe.json']) {
    const told = new RegExp(`^svc-emulator: ${option} is ${file}, which cannot be written: .*\\.\n$`);
    await expectRefusal([String(command), String(option), file, ...line], folder, told);
  }
});

it.runIf(isPosix).each([
  [['exec', '--baseline'], LEAVES_A_SIGN],
  [['check', '--baseline'], LEAVES_A_SIGN],
])('refuses with 2 to read by %j what never ends', async (line, more) => {
  const folder = strangeFolder();
  for (const file of ['pipe.json', '/dev/zero']) {
    await expectRefusal([...line, file, ...more], folder, `${file}[\\s\\S]*it is a pipe or a device`);
  }
});

it.runIf(existsSync('/dev/full')).each(['--report', '--trace', '--summary'])(
  'says with 1 of a run whose %s a full disk does not take',
  async (option) => {
    const folder = strangeFolder();
    const { exitCode, stderr } = await runCommand(['exec', option, 'full.json', ...NOTHING], { CI: '' }, folder);
    expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/full\.json.*ENOSPC/)]);
    expect(stderr).not.toContain('    at ');
    // What it cost is said all the same.
    expect(stderr).toContain('The run made no request');
  },
);

it.runIf(isPosix)(
  'writes through a link, under a name of two lines and beside its folder, and nothing else',
  async () => {
    const folder = strangeFolder();
    const files = ['link.json', 'two\nlines.json', 'elsewhere/../up.json'];
    const reports = files.flatMap((file) => ['--report', file]);
    const before = readdirSync(folder);
    expect(await runCommand(['exec', ...reports, ...NOTHING], { CI: '' }, folder)).toMatchObject({ exitCode: 0 });
    expect(lstatSync(path.join(folder, 'link.json')).isSymbolicLink()).toBe(true);
    for (const file of files)
      expect(JSON.parse(readFileSync(path.join(folder, file), 'utf8'))).toHaveProperty('credits');
    expect(readdirSync(path.join(folder, 'elsewhere'))).toEqual(['target.json']);
    expect(
      readdirSync(folder)
        .filter((name) => !before.includes(name))
        .sort(),
    ).toEqual(['two\nlines.json', 'up.json']);
  },
);

it('leaves what is in a file alone until there is a report, and no file where there is none', async () => {
  const before = '{"checks": [], "findings": [], "measured": {}}';
  const folder = folderOf({ 'kept.json': before });
  const reports = ['--report', 'kept.json', '--report', 'new.json', '--report', 'no/such/folder.json'];
  const { exitCode } = await runCommand(['check', ...reports, ...NOTHING], {}, folder);
  expect(exitCode).toBe(2);
  expect(readFileSync(path.join(folder, 'kept.json'), 'utf8')).toBe(before);
  expect(readdirSync(folder)).toEqual(['kept.json']);
});

it.each([
  ['exec', 'tsconfig.json', '{"compilerOptions": {}}'],
  ['exec', 'spend', 'what was there'],
  ['check', 'found.xml', '<testsuites name="vitest tests"></testsuites>'],
  ['check', 'README.md', '# Shop'],
  ['check', 'index.html', '<title>Shop</title>'],
])('refuses with 2 a report of %s that would overwrite %s, which is another file', async (command, file, text) => {
  const folder = folderOf({ [file]: text });
  const refusal = `svc-emulator: --report is ${file}, which exists and is no report of ${command}. Remove it, or name another file.`;
  await expectRefusal([command, '--report', file, ...LEAVES_A_SIGN], folder, refusal);
  expect([readdirSync(folder), readFileSync(path.join(folder, file), 'utf8')]).toEqual([[file], text]);
});

it('writes a report over an earlier one of the same command, and into an empty file', async () => {
  const folder = folderOf({ 'empty.json': '' });
  const reports = ['spend.json', 'spend.xml', 'empty.json'].flatMap((file) => ['--report', file]);
  const run = () => runCommand(['exec', ...reports, ...NOTHING], { CI: '' }, folder);
  expect((await run()).exitCode).toBe(0);
  expect((await run()).exitCode).toBe(0);
});
