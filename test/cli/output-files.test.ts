import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { runCommand } from '../support/run-command.ts';
import { emptyFolder, folderOf } from './spawned-program.ts';

const isPosix = process.platform !== 'win32';
const NOTHING = ['--', process.execPath, '-e', ''];
/** Nothing may call this URL or run this command, because the output file is rejected first. */
const OWN_URL = 'http://127.0.0.1:9/hook';
const LEAVES_A_SIGN = ['--', process.execPath, '-e', "require('node:fs').writeFileSync('started', '')"];

const LINK = /symbolic link/;
const NO_FILE = /it is a pipe or a device/;
/** Paths that are not plain files in plain folders, and the message for each. */
const STRANGE: readonly (readonly [file: string, said: RegExp])[] = [
  ['link.json', LINK],
  ['dangling.json', LINK],
  ['linked/file.json', LINK],
  ['pipe.json', NO_FILE],
  ['/dev/full', /it is a pipe or a device|a file that ends in/],
];

function strangeFolder(): string {
  const folder = folderOf({ 'elsewhere/file.json': BEFORE, 'large.json': '' });
  mkdirSync(path.join(folder, 'folder.json'));
  symlinkSync('elsewhere/file.json', path.join(folder, 'link.json'));
  symlinkSync('elsewhere/none.json', path.join(folder, 'dangling.json'));
  symlinkSync('elsewhere', path.join(folder, 'linked'));
  execFileSync('mkfifo', [path.join(folder, 'pipe.json')]);
  truncateSync(path.join(folder, 'large.json'), 101 * 1_048_576);
  return folder;
}

const BEFORE = '{}';

/** Expects exit code 2 and this message, before anything is started. */
async function expectRefusal(line: readonly string[], folder: string, said: RegExp | string): Promise<void> {
  const { exitCode, stdout, stderr } = await runCommand(line, { CI: '' }, folder);
  expect([exitCode, stdout, stderr]).toEqual([2, '', expect.stringMatching(said)]);
  expect(stderr).not.toContain('    at ');
  expect(existsSync(path.join(folder, 'started'))).toBe(false);
}

/** Commands that write a file: the words before its name, and after it. */
const WRITERS: readonly (readonly [before: string[], after: string[]])[] = [
  ...['--report', '--trace', '--summary'].map((option) => [['exec', option], LEAVES_A_SIGN] as [string[], string[]]),
  [['exec', '--update-baseline', '--baseline'], LEAVES_A_SIGN],
  [['check', '--report'], LEAVES_A_SIGN],
  [['check', '--update-baseline', '--baseline'], LEAVES_A_SIGN],
  [['demo', '--share'], []],
  [['python-client', '--out'], []],
  [['openapi', '--out'], []],
  ...['--junit', '--trace'].map((option): [string[], string[]] => [
    ['verify', option],
    ['--secret', 'whsec_a', OWN_URL],
  ]),
];

it.runIf(isPosix).each(WRITERS)(
  'exits with 2 if the output file of %j is a folder, a link, a pipe or a device, before anything runs',
  async (before, after) => {
    const folder = strangeFolder();
    for (const [file, said] of [...STRANGE, ['folder.json', /: it is a folder\./] as const]) {
      await expectRefusal([...before, file, ...after], folder, said);
    }
    expect(readdirSync(path.join(folder, 'elsewhere'))).toEqual(['file.json']);
    expect(readFileSync(path.join(folder, 'elsewhere', 'file.json'), 'utf8')).toBe(BEFORE);
  },
);

const READERS: readonly (readonly [before: string[], after: string[]])[] = [
  ...['exec', 'check'].flatMap((command) =>
    ['--config', '--world', '--baseline', '--profile'].map(
      (option) => [[command, option], LEAVES_A_SIGN] as [string[], string[]],
    ),
  ),
  [['check', 'merge'], []],
];

it.runIf(isPosix).each(READERS)(
  'exits with 2 if the input file of %j is a link, a pipe, a device or too large',
  async (before, after) => {
    const folder = strangeFolder();
    const readable = STRANGE.filter(([file]) => !['/dev/full', 'dangling.json'].includes(file));
    const large = [['large.json', /over \d+ MiB/]] as const;
    for (const [file, said] of [...readable, ['/dev/zero', NO_FILE] as const, ...large]) {
      await expectRefusal([...before, file, ...after], folder, `${said.source}|${file}.*expected a file that exists`);
    }
  },
);

it.runIf(isPosix)(
  'exits with 2 if .svc-check is a link, or if a file that check writes there is a link or a pipe',
  async () => {
    const folder = strangeFolder();
    const own = path.join(folder, '.svc-check');
    symlinkSync('elsewhere', own);
    await expectRefusal(['check', ...LEAVES_A_SIGN], folder, 'is not a plain folder');
    for (const name of ['findings.json', 'check.html', '.gitignore']) {
      rmSync(own, { recursive: true });
      mkdirSync(own);
      symlinkSync('../elsewhere/file.json', path.join(own, name));
      await expectRefusal(['check', ...LEAVES_A_SIGN], folder, `${name} cannot be used: .*symbolic link`);
    }
    rmSync(own, { recursive: true });
    mkdirSync(own);
    execFileSync('mkfifo', [path.join(own, 'findings.json')]);
    await expectRefusal(['check', ...LEAVES_A_SIGN], folder, NO_FILE);
    expect(readFileSync(path.join(folder, 'elsewhere', 'file.json'), 'utf8')).toBe(BEFORE);
  },
);

it.each(['--report', '--trace', '--summary'])(
  'exits with 1 if the file of %s can no longer be written after the command has run',
  async (option) => {
    const folder = emptyFolder();
    mkdirSync(path.join(folder, 'reports'));
    const removes = ['--', process.execPath, '-e', "require('node:fs').rmdirSync('reports')"];
    const { exitCode, stderr } = await runCommand(['exec', option, 'reports/new.json', ...removes], { CI: '' }, folder);
    expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/new\.json.*there is no such file or folder/)]);
    expect(stderr).not.toContain('    at ');
    // The cost is printed nevertheless.
    expect(stderr).toContain('The run made no request');
  },
);

it.runIf(isPosix)('writes reports to exactly the given files, even if a name contains a line break', async () => {
  const folder = strangeFolder();
  const files = ['two\nlines.json', 'elsewhere/../up.json'];
  const reports = files.flatMap((file) => ['--report', file]);
  const before = readdirSync(folder);
  expect(await runCommand(['exec', ...reports, ...NOTHING], { CI: '' }, folder)).toMatchObject({ exitCode: 0 });
  for (const file of files) expect(JSON.parse(readFileSync(path.join(folder, file), 'utf8'))).toHaveProperty('credits');
  const added = readdirSync(folder).filter((name) => !before.includes(name));
  expect(added.toSorted()).toEqual(['two\nlines.json', 'up.json']);
});

it('changes and creates no file if one of the reports cannot be written', async () => {
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
])(
  'exits with 2 if the report of %s would overwrite %s, which that command did not write',
  async (command, file, text) => {
    const folder = folderOf({ [file]: text });
    const refusal = `svc-emulator: --report is ${file}, which exists and is not a report of ${command}. Remove it, or name another file.`;
    await expectRefusal([command, '--report', file, ...LEAVES_A_SIGN], folder, refusal);
    expect([readdirSync(folder), readFileSync(path.join(folder, file), 'utf8')]).toEqual([[file], text]);
  },
);

it('overwrites an earlier report of the same command, and an empty file', async () => {
  const folder = folderOf({ 'empty.json': '' });
  const reports = ['spend.json', 'spend.xml', 'empty.json'].flatMap((file) => ['--report', file]);
  const run = () => runCommand(['exec', ...reports, ...NOTHING], { CI: '' }, folder);
  const read = (file: string) => JSON.parse(readFileSync(path.join(folder, file), 'utf8'));
  expect((await run()).exitCode).toBe(0);
  writeFileSync(path.join(folder, 'spend.json'), JSON.stringify({ ...read('spend.json'), credits: 7 }));
  expect((await run()).exitCode).toBe(0);
  for (const file of ['spend.json', 'empty.json']) expect(read(file)).toMatchObject({ requests: 0, credits: 0 });
});
