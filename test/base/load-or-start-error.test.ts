import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { describeLoadOrStartError, describeSystemLimit } from '../../src/base/load-or-start-error.ts';
import { emptyFolder } from '../cli/spawned-program.ts';

const load = createRequire(import.meta.url);
const isLinux = process.platform === 'linux';
const install = 'Run npm install.';
const MACHINE = process.arch === 'arm64' ? '\u00b7' : '\u003e';
const PLATFORM = `${process.platform}-${process.arch}`;

function made(name: string, content: string | Buffer, mode = 0o755): string {
  const file = path.join(emptyFolder(), name);
  writeFileSync(file, content);
  chmodSync(file, mode);
  return file;
}

function faultOf(file: string): Promise<string> {
  return new Promise((resolve) => {
    execFile(file, ['-version'], (error) =>
      resolve(describeLoadOrStartError(error, { name: 'ffmpeg', file, install })),
    );
  });
}

function loadFault(file: string): string {
  try {
    load(file);
    return 'loaded';
  } catch (error) {
    return describeLoadOrStartError(error, { name: 'sharp', install });
  }
}

/** A copy of /bin/true with some bytes replaced. */
function changed(from: string, to: string): Buffer {
  const program = readFileSync('/bin/true').toString('latin1');
  expect(program).toContain(from);
  return Buffer.from(program.replace(from, to), 'latin1');
}

/** Its ELF header names another machine. */
const ofOtherMachine = () => changed(`\u0003\0${MACHINE}`, '\u0003\0\u0008');
const withoutLoader = () => changed('/ld-linux', '/ld-lacks');

it.runIf(isLinux).each<[what: string, make: () => string, told: string]>([
  ['that is missing', () => path.join(emptyFolder(), 'none'), 'its file is missing. Run npm install.'],
  ['that is a folder', emptyFolder, 'it is not a file. Run npm install.'],
  [
    'whose loader is missing',
    () => made('ffmpeg', withoutLoader()),
    'its loader /lib64/ld-lacks-x86-64.so.2 is missing.',
  ],
  ['whose interpreter is missing', () => made('ffmpeg', '#!/no/such/sh\n'), 'its loader /no/such/sh is missing.'],
])('names the cause if a program %s cannot run', async (_, make, told) => {
  expect(await faultOf(make())).toContain(`ffmpeg cannot run: ${told}`);
});

it.runIf(isLinux)('names the cause if a native library cannot be loaded', () => {
  const other = made('other.node', ofOtherMachine());
  expect(loadFault(other)).toBe(
    `sharp cannot run: it was built for another platform than ${PLATFORM}, or its file is damaged. Run npm install.`,
  );
  expect(loadFault(made('short.node', 'MZ'))).toContain('it was built for another platform');
  expect(loadFault(path.join(emptyFolder(), 'none'))).toBe(
    `sharp cannot run: it is not installed for ${PLATFORM}. Run npm install.`,
  );
});

it.runIf(isLinux)('names the missing library that a native library needs', () => {
  const entry = createRequire(load.resolve('sharp')).resolve(`@img/sharp-${PLATFORM}/sharp.node`);
  const folder = path.join(path.dirname(entry), 'lib');
  const name = readdirSync(folder).find((each) => each.endsWith('.node')) ?? '';
  const lonely = path.join(emptyFolder(), 'lonely.node');
  copyFileSync(path.join(folder, name), lonely);
  // Another process, because this one may have loaded the library for another test.
  const loading = spawnSync(process.execPath, ['-e', `process.dlopen({ exports: {} }, ${JSON.stringify(lonely)})`]);
  const [, said = ''] = /^Error: (.*)$/m.exec(String(loading.stderr)) ?? [];
  expect(describeLoadOrStartError(new Error(said), { name: 'sharp', install })).toMatch(
    /^sharp cannot run: the library libvips-cpp\.so\.\S+, which it needs, is missing\. Run npm install\.$/,
  );
});

/** Undefined if this user may not mount a disk. */
function noexecFolder(): string | undefined {
  const folder = path.join(emptyFolder(), 'disk');
  mkdirSync(folder);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'noexec', 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    return undefined;
  }
  onTestFinished(() => void execFileSync('umount', ['-l', folder]));
  return folder;
}

it.runIf(isLinux)(
  'reports that a program or native library cannot run because its disk is mounted with noexec',
  async ({ skip }) => {
    const folder = noexecFolder();
    skip(folder === undefined, 'This user may not mount a disk.');
    const told =
      'cannot run: its disk does not allow programs to run (it is mounted with noexec). Install the package on another disk, or mount this one with exec.';
    const program = path.join(folder ?? '', 'ffmpeg');
    copyFileSync('/bin/true', program);
    expect(await faultOf(program)).toBe(`ffmpeg ${told}`);
    const library = path.join(folder ?? '', 'sqlite.node');
    copyFileSync(load.resolve('better-sqlite3/build/Release/better_sqlite3.node'), library);
    expect(loadFault(library)).toBe(`sharp ${told}`);
  },
);

it.each([
  [
    'The module was compiled against a different Node.js version using\nNODE_MODULE_VERSION 115.',
    'it was compiled for another version of Node. Run npm install.',
  ],
  [
    "/lib/libm.so.6: version `GLIBC_2.38' not found (required by /x/y.node)",
    'the C library of this system is too old for it. Use a newer system.',
  ],
  ['spawn ffmpeg ENOMEM', 'the system has no memory left. Stop other programs'],
  ['spawn ffmpeg EMFILE', 'too many files are open. Raise the limit (ulimit -n).'],
  ['spawn ffmpeg ETXTBSY', 'spawn ffmpeg ETXTBSY. Run npm install.'],
])('describes the error %j as %j', (message, told) => {
  expect(describeLoadOrStartError(new Error(message), { name: 'It', install })).toContain(`It cannot run: ${told}`);
});

it('reports that the system allows no more processes, but not for an error of an image', () => {
  expect(describeSystemLimit(new Error('spawn x EAGAIN'))).toMatch(/^the system allows no more processes\. Raise/);
  expect(describeSystemLimit(new Error('Input buffer contains unsupported image format'))).toBeUndefined();
});
