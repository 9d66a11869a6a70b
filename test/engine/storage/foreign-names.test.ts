import { randomBytes } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openSqlite, type SqliteDatabase } from '../../../src/base/database/open-sqlite.ts';
import type { Reader } from '../../../src/base/database/reader.ts';
import { Random } from '../../../src/base/random.ts';
import { startEmulator } from '../../../src/emulator.ts';
import { storedFileNameProblem } from '../../../src/engine/storage/content-check-store.ts';
import { DataFolderUnusable } from '../../../src/engine/storage/data-folder.ts';
import { FileFolder } from '../../../src/engine/storage/file-folder.ts';
import { emptyFolder } from '../../cli/spawned-program.ts';
import { ephemeral, SHARED_RENDERS, world } from '../../support/world.ts';

const HEX = 'ab'.repeat(32);
const VICTIM = '../../victim';

/** File names that an attacker could write into a database to reach other files. */
const HOSTILE: readonly string[] = [
  ...[
    VICTIM,
    '../victim',
    '..',
    '.',
    '',
    '/',
    '/etc/passwd',
    '../../../../../../../../etc/passwd',
    './x',
    'x',
    'victim',
  ],
  ...['..\\..\\victim', 'C:\\victim', '\\\\host\\share', '//host/share', 'file:///etc/passwd', '~/victim', '$HOME'],
  // Some SQLite functions read such names only up to the NUL.
  ...[`\0${HEX.slice(1)}`, `${HEX.slice(0, 32)}\0${HEX.slice(33)}`, `${HEX.slice(1)}\0`],
  ...[`../${HEX}`, `${HEX}/..`, `${HEX}/../../../victim`, `${HEX}/`, `/${HEX}`, `./${HEX}`, `${HEX}\0`, `\0${HEX}`],
  ...[`${HEX}\n`, `${HEX} `, ` ${HEX}`, HEX.toUpperCase(), HEX.slice(1), `${HEX}0`, `g${HEX.slice(1)}`, `${HEX}.png`],
  ...[
    `.${HEX.slice(1)}`,
    `/${HEX.slice(1)}`,
    `${HEX.slice(0, 61)}/..`,
    `..${'/'.repeat(62)}`,
    'ａ'.repeat(64),
    '０'.repeat(64),
  ],
];

/** Writes a file name into each column that can hold one. */
const COLUMNS: Record<string, (db: SqliteDatabase, name: string) => void> = {
  'files.name': (db, name) => db.prepare("INSERT INTO files VALUES (?, 'render', 1, 'image/png', NULL, 1)").run(name),
  'objects.file': (db, name) =>
    db.prepare("INSERT INTO objects VALUES (9, 'obj_9', 'acct_9', 'a.png', ?, 1, 'image/png', 1)").run(name),
  'library.file': (db, name) => db.prepare('UPDATE library SET file = ?').run(name),
  'pictures.file': (db, name) => db.prepare("INSERT INTO pictures VALUES (?, 'lib_9')").run(name),
  'fixture_files.file': (db, name) => db.prepare("INSERT INTO fixture_files VALUES (?, 'fix_9')").run(name),
  'elements.picture': (db, name) => element(db, JSON.stringify({ sha256: name }), null),
  'elements.voice': (db, name) => element(db, null, JSON.stringify({ sha256: name })),
  'jobs.outcome': (db, name) => update(db, 'outcome', { file: { name } }),
  'jobs.render': (db, name) => update(db, 'render', { kind: 'clip', references: [{ sha256: name, path: 'x' }] }),
  'fixtures.media': (db, name) =>
    db
      .prepare("INSERT INTO fixtures VALUES (9, 'fix_9', NULL, '{}', ?)")
      .run(JSON.stringify([{ kind: 'given', name }])),
};

function element(db: SqliteDatabase, picture: string | null, voice: string | null): void {
  const insert = db.prepare("INSERT INTO elements VALUES (9, 'el_9', 'acct_9', 'mara', 'character', 'Mara', ?, 1, ?)");
  insert.run(picture, voice);
}

function update(db: SqliteDatabase, column: 'outcome' | 'render', value: object): void {
  // A parser reads the escape as `name`, and keeps the last of two equal names.
  const json = JSON.stringify(value).replace('"name"', `"name":"${HEX}","nam\\u0065"`);
  db.prepare(`UPDATE jobs SET ${column} = ?`).run(json);
}

/** Each read of a damaged running database is logged as a bug; these tests drop the log. */
const QUIET = { info: () => undefined, error: () => undefined };

/** A data folder with one stored picture. */
const made = (async () => {
  const folder = path.join(emptyFolder(), 'data');
  const here = await world({ ephemeral: false, dataDir: folder });
  const account = await here.account();
  await account.post('/images/generations', { prompt: 'a pier', store: true });
  await here.close();
  return folder;
})();

/** A copy of that folder next to a file that hostile names try to reach. */
async function copied() {
  const folder = emptyFolder();
  const data = path.join(folder, 'data');
  cpSync(await made, data, { recursive: true });
  const victim = path.join(folder, 'victim');
  writeFileSync(victim, 'precious');
  return { data, victim };
}

const UNCHECKED = 'PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON';

it.each(Object.keys(COLUMNS))('detects each hostile file name in the column %s', async (column) => {
  const { data } = await copied();
  const file = path.join(data, 'emulator.db');
  const db = openSqlite(file);
  onTestFinished(() => void db.close());
  db.exec(UNCHECKED);
  const reader: Reader = {
    get: (sql, ...values) => db.prepare(sql).get(...values) as never,
    all: (sql, ...values) => db.prepare(sql).all(...values) as never,
  };
  const found = HOSTILE.map((name) => {
    db.exec('BEGIN');
    COLUMNS[column]?.(db, name);
    const foreign = storedFileNameProblem(reader);
    db.exec('ROLLBACK');
    return foreign;
  });
  expect(found).toEqual(HOSTILE.map(() => expect.stringContaining(column)));
});

it('reads, writes and deletes no file by a hostile file name', async () => {
  const { data, victim } = await copied();
  const scratch = path.join(data, 'tmp');
  const files = new FileFolder({ dataFolder: data, scratch, durable: false, random: new Random(1) });
  const before = readdirSync(path.dirname(data), { recursive: true }).sort();
  const acts: ((name: string) => unknown)[] = [
    (name) => files.path(name),
    (name) => files.has(name),
    (name) => files.place(victim, name),
    (name) => files.discard(name),
  ];
  for (const name of HOSTILE) {
    for (const act of acts) await expect((async () => act(name))()).rejects.toThrow('64 hex digits');
  }
  expect(readFileSync(victim, 'utf8')).toBe('precious');
  expect(readdirSync(path.dirname(data), { recursive: true }).sort()).toEqual(before);
});

it('serves no file under /cdn for a hostile file name in the database of a running emulator', async () => {
  const { data, victim } = await copied();
  const here = await world({ ephemeral: false, dataDir: data }, { ...SHARED_RENDERS, log: QUIET });
  const account = await here.account();
  const { body } = await account.post('/images/generations', { prompt: 'a boat', store: true });
  const { url } = body.data[0];
  expect((await fetch(url)).status).toBe(200);
  const db = openSqlite(path.join(data, 'emulator.db'));
  onTestFinished(() => void db.close());
  db.exec(UNCHECKED);
  for (const name of HOSTILE) {
    for (const table of ['objects', 'library']) db.prepare(`UPDATE ${table} SET file = ?`).run(name);
    const { status } = await fetch(url);
    expect([name, status]).toEqual([name, expect.toBeOneOf([404, 500])]);
  }
  expect(readFileSync(victim, 'utf8')).toBe('precious');
});

it.each([
  ['the folder of files', 'files'],
  ['the folder of snapshots', 'snapshots'],
  ['a file', `files/${HEX}`],
  ['the database', 'emulator.db'],
  ['the lock', 'lock.db'],
])('rejects a data folder in which %s is a link, and does not follow it', async (_what, name) => {
  const { data, victim } = await copied();
  const target = path.join(path.dirname(data), 'outside');
  mkdirSync(target);
  writeFileSync(path.join(target, HEX), 'precious');
  const link = path.join(data, name);
  rmSync(link, { recursive: true, force: true });
  symlinkSync(name.includes('.') ? victim : target, link);
  const start = startEmulator(ephemeral({ ephemeral: false, dataDir: data }));
  await expect(start).rejects.toThrow(/neither a plain file nor a folder.*nothing in it was touched/);
  expect(readFileSync(victim, 'utf8')).toBe('precious');
  expect(readFileSync(path.join(target, HEX), 'utf8')).toBe('precious');
});

function folderInstead(file: string): void {
  rmSync(file);
  mkdirSync(file);
}

const random = (file: string) => writeFileSync(file, randomBytes(8192));

it.each<[what: string, name: string, spoil: (file: string) => void, remedy: RegExp]>([
  ['made of random bytes', 'lock.db', random, /damaged lock\.db\. Delete that file/],
  ['a folder', 'lock.db', folderInstead, /lock\.db is not a file/],
  ['a folder', 'journal.db', folderInstead, /journal\.db is not a file/],
])(
  'rejects a data folder with a file that is %s (%s), names the remedy, and removes no media file',
  async (_what, name, spoil, remedy) => {
    const { data } = await copied();
    const file = path.join(data, name);
    spoil(file);
    const before = readdirSync(path.join(data, 'files'));
    const start = startEmulator(ephemeral({ ephemeral: false, dataDir: data }));
    const error = await start.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(DataFolderUnusable);
    expect(String(error)).toMatch(remedy);
    expect(String(error)).toMatch(/--data-dir|the next start creates it again/);
    expect(readdirSync(path.join(data, 'files'))).toEqual(before);
  },
);
