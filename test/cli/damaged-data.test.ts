import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { openSqlite } from '../../src/base/database/open-sqlite.ts';
import { runCommand } from '../support/run-command.ts';
import { world } from '../support/world.ts';
import { chat, emptyFolder, SpawnedProgram, startProgram } from './spawned-program.ts';

/** The data of an emulator that was killed, so that its last changes are in the log of the database. */
const killed = await (async () => {
  const folder = emptyFolder();
  const { program, url } = await startProgram(['--data-dir', folder]);
  await chat(url);
  await program.stop('SIGKILL');
  return folder;
})();

function copy(): { folder: string; file: string } {
  const folder = path.join(emptyFolder(), 'data');
  cpSync(killed, folder, { recursive: true });
  return { folder, file: path.join(folder, 'emulator.db') };
}

function bytesOf(file: string): Buffer | undefined {
  return existsSync(file) && statSync(file).isFile() ? readFileSync(file) : undefined;
}

function overwrite(file: string, from: number, bytes: Buffer): void {
  const handle = openSync(file, 'r+');
  writeSync(handle, bytes, 0, bytes.length, from);
  closeSync(handle);
}

function alone(file: string): string {
  for (const suffix of ['-wal', '-shm']) rmSync(file + suffix, { force: true });
  return file;
}

function folderInstead(file: string): void {
  rmSync(file, { force: true });
  mkdirSync(file);
}

function changed(sql: string) {
  return (file: string) => {
    const database = openSqlite(file);
    database.exec(sql);
    database.close();
  };
}

/** Replaces the database by one of another program, with the given pragma and table. */
function foreign(pragma = '', table = 'invoices') {
  return (file: string) => {
    rmSync(alone(file));
    changed(`${pragma}; CREATE TABLE ${table} (id INTEGER)`)(file);
  };
}

async function started(folder: string) {
  const { exitCode, stdout, stderr } = await runCommand(['start', '--port', '0', '--data-dir', folder]);
  return { exitCode, stdout, message: stderr.replace(/^svc-emulator: /, '').trimEnd() };
}

async function examined(folder: string) {
  const { exitCode, stdout } = await runCommand(['doctor', '--json', '--port', '0', '--data-dir', folder]);
  const { findings } = JSON.parse(stdout) as { findings: { name: string; ok: boolean; detail: string }[] };
  return { exitCode, ...findings.find(({ name }) => name === 'data folder') };
}

const NEWER = /made by a newer svc-emulator \(its schema is 999, this one knows 1\)\. Upgrade, or choose .*--data-dir/;
const OTHER = /not made by svc-emulator: it is the database of another program\. No file was touched\. .*--data-dir/;
const DAMAGED = /is damaged: emulator\.db\S* .*Restore a copy of it, choose another folder with --data-dir, or delete/;

it.each<[what: string, spoil: (file: string) => void, told: RegExp]>([
  ['random bytes', (file) => writeFileSync(file, randomBytes(40_960)), DAMAGED],
  ['zeros', (file) => writeFileSync(file, Buffer.alloc(40_960)), DAMAGED],
  ['text', (file) => writeFileSync(file, 'Dear reader\n'), DAMAGED],
  ['an empty file', (file) => truncateSync(file, 0), DAMAGED],
  ['cut in half', (file) => truncateSync(alone(file), statSync(file).size / 2), DAMAGED],
  ['overwritten with zeros in its pages', (file) => overwrite(file, 8192, Buffer.alloc(65_536)), DAMAGED],
  ['overwritten with random bytes in its pages', (file) => overwrite(alone(file), 4096, randomBytes(131_072)), DAMAGED],
  ['overwritten with a random header', (file) => overwrite(alone(file), 0, randomBytes(64)), DAMAGED],
  ['a folder', folderInstead, DAMAGED],
  ['a file next to a log that is a folder', (file) => folderInstead(`${file}-wal`), DAMAGED],
  ['a database with a newer schema', changed('PRAGMA user_version = 999'), NEWER],
  ['a database of another program', foreign(), OTHER],
  ['a database of another program with the same version', foreign('PRAGMA user_version = 1', 'accounts'), OTHER],
  ['a database of another program with a newer version', foreign('PRAGMA user_version = 80'), OTHER],
  ['a database of another program with a log', foreign('PRAGMA journal_mode = WAL'), OTHER],
  ['a database of another program with an application id', foreign('PRAGMA application_id = 7'), OTHER],
])(
  'reports the same problem in doctor as in start if emulator.db is %s, and does not change it',
  async (_, spoil, told) => {
    const { folder, file } = copy();
    spoil(file);
    const before = bytesOf(file);
    const { exitCode, stdout, message } = await started(folder);
    expect({ exitCode, stdout, message }).toEqual({ exitCode: 1, stdout: '', message: expect.stringMatching(told) });
    expect(message).not.toMatch(/\n|SQLITE_/);
    expect(await examined(folder)).toEqual({ exitCode: 1, name: 'data folder', ok: false, detail: message });
    expect(bytesOf(file)).toEqual(before);
  },
);

it.each<[what: string, spoil: (file: string) => void]>([
  ['that a kill left', () => {}],
  ['whose log contains random bytes', (file) => writeFileSync(`${file}-wal`, randomBytes(40_960))],
  ['whose shared index contains random bytes', (file) => writeFileSync(`${file}-shm`, randomBytes(32_768))],
  ['whose log is empty', (file) => truncateSync(`${file}-wal`, 0)],
])('starts with a database %s, and doctor accepts it too', async (_, spoil) => {
  const { folder, file } = copy();
  spoil(file);
  expect(await examined(folder)).toMatchObject({ exitCode: 0, ok: true, detail: `${folder} can be used` });
  const here = await world({ ephemeral: false, dataDir: folder });
  expect((await here.control('GET', '/invariants')).status).toBe(200);
});

it('reports the same problem in doctor as in start if this user may not read emulator.db', async () => {
  const { folder, file } = copy();
  chmodSync(file, 0);
  // Root may read every file, so another user runs the commands.
  const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  if (user.uid !== undefined) {
    for (const each of [tmpdir(), path.dirname(folder)]) chmodSync(each, 0o711);
    const names = ['.', ...readdirSync(folder, { recursive: true, encoding: 'utf8' })];
    for (const name of names) chownSync(path.join(folder, name), user.uid, user.gid);
  }
  const flags = ['--port', '0', '--data-dir', folder];
  const start = new SpawnedProgram(['start', ...flags], {}, undefined, process.execPath, user);
  expect(await start.ended()).toBe(1);
  const told = `The data folder ${folder} cannot be used: this user may not access it (${file}). Make it a folder that this user may write, with space on its disk, or choose another one with --data-dir.`;
  expect(start.stderr).toBe(`svc-emulator: ${told}\n`);
  const doctor = new SpawnedProgram(['doctor', ...flags], {}, undefined, process.execPath, user);
  expect(await doctor.ended()).toBe(1);
  expect(doctor.stdout).toContain(told);
});
