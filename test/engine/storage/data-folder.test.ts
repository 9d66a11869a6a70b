import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { DataFolderInUse, openDataFolder, removeAbandonedFolders } from '../../../src/engine/storage/data-folder.ts';
import { emptyFolder } from '../../cli/spawned-program.ts';

function openFor(dataDir: string, ephemeral = false) {
  const folder = openDataFolder({ dataDir, ephemeral });
  onTestFinished(() => folder.release());
  return folder;
}

it('accepts a data folder that contains only .gitkeep', () => {
  const wanted = emptyFolder();
  writeFileSync(path.join(wanted, '.gitkeep'), '');
  expect(openFor(wanted).path).toBe(wanted);
});

it.each([
  ['{"format": 2}', /format 2; this svc-emulator knows format 1/],
  ['{}', /knows format 1/],
  ['not json', /damaged svc-emulator\.json/],
])('rejects a data folder whose svc-emulator.json contains %s [I199]', (marker, message) => {
  const wanted = emptyFolder();
  writeFileSync(path.join(wanted, 'svc-emulator.json'), marker);
  expect(() => openFor(wanted)).toThrow(message);
  expect(readdirSync(wanted)).toEqual(['svc-emulator.json']);
});

it('removes temporary files that an earlier run left in the data folder', () => {
  const wanted = emptyFolder();
  const first = openDataFolder({ dataDir: wanted, ephemeral: false });
  writeFileSync(path.join(first.temporary, 'half'), 'half a file');
  mkdirSync(path.join(first.temporary, 'folder'));
  first.release();
  expect(readdirSync(openFor(wanted).temporary)).toEqual([]);
});

it('removes an ephemeral data folder at the end, and does not create the configured data folder [I155]', () => {
  const configured = path.join(emptyFolder(), 'unused');
  const folder = openFor(configured, true);
  expect(existsSync(folder.temporary)).toBe(true);
  folder.release();
  folder.release();
  expect(existsSync(folder.path)).toBe(false);
  expect(existsSync(configured)).toBe(false);
});

/** A process that takes the lock as an emulator does, and keeps it. */
function takingLock(folder: string) {
  const sqlite = createRequire(import.meta.url).resolve('better-sqlite3');
  const program = `
    const Sqlite = process.getBuiltinModule('node:sqlite')?.DatabaseSync ?? require(${JSON.stringify(sqlite)});
    const lock = new Sqlite(${JSON.stringify(path.join(folder, 'lock.db'))}, { timeout: 0 });
    lock.exec('BEGIN EXCLUSIVE');
    console.log('locked');
    process.stdin.resume();`;
  const holder = spawn(process.execPath, ['-e', program], { stdio: 'pipe' });
  onTestFinished(() => void holder.kill('SIGKILL'));
  return holder;
}

it('excludes a new data folder from Git, and keeps an existing .gitignore', () => {
  const wanted = path.join(emptyFolder(), 'data');
  openFor(wanted);
  expect(readFileSync(path.join(wanted, '.gitignore'), 'utf8')).toBe('*\n');

  const own = emptyFolder();
  writeFileSync(path.join(own, '.gitignore'), '*\n!.gitignore\n');
  openFor(own);
  expect(readFileSync(path.join(own, '.gitignore'), 'utf8')).toBe('*\n!.gitignore\n');
});

it.each([
  ['removes', 'an ephemeral folder whose process was killed', false],
  ['keeps', 'an ephemeral folder that is locked by a process that cannot be seen, as in another container', true],
])('removes only abandoned ephemeral folders at the next start: %s %s', async (does, _what, isLocked) => {
  // Uses its own temporary folder, so that no other emulator removes the abandoned folder at its start.
  const { TMPDIR } = process.env;
  process.env.TMPDIR = emptyFolder();
  onTestFinished(() => {
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
  });
  const folder = mkdtempSync(path.join(tmpdir(), `svc-emulator-4194305-`));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  if (isLocked) await once(takingLock(folder).stdout, 'data');
  else writeFileSync(path.join(folder, 'lock.db'), '');
  await removeAbandonedFolders();
  expect(existsSync(folder)).toBe(does === 'keeps');
});

it.each([
  ['an ephemeral folder when another start removes abandoned folders', async () => {}, true],
  [
    'a data folder when another start tries to open it',
    async (folder: string) => void expect(() => openFor(folder)).toThrow(DataFolderInUse),
    false,
  ],
])('keeps the lock of a running emulator, even if another one starts: %s', async (_, tryAgain, isEphemeral) => {
  const folder = openFor(path.join(emptyFolder(), 'data'), isEphemeral).path;
  await tryAgain(folder);
  await removeAbandonedFolders();
  const other = takingLock(folder);
  other.stdin.end();
  expect(await text(other.stderr)).toMatch(/database is locked/);
});

it('removes the temporary folders of a process that was killed, even before it had a lock, but not of a running one', async () => {
  const killed = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  await once(killed, 'spawn');
  const uses = ['check', 'emulator', 'renders'];
  const made = (pid: number | undefined) => uses.map((use) => mkdtempSync(path.join(tmpdir(), `svc-${use}-${pid}-`)));
  const [left, own] = [made(killed.pid), made(process.pid)];
  onTestFinished(() => {
    for (const folder of [...left, ...own]) rmSync(folder, { recursive: true, force: true });
  });
  for (const folder of left) writeFileSync(path.join(folder, 'state'), 'of a run');
  await removeAbandonedFolders();
  expect(left.every((folder) => existsSync(folder))).toBe(true);
  killed.kill('SIGKILL');
  await once(killed, 'exit');
  await removeAbandonedFolders();
  expect(left.filter((folder) => existsSync(folder))).toEqual([]);
  expect(own.every((folder) => existsSync(folder))).toBe(true);
});
