import { cpSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { isDatabaseMarkedIntact, markDatabaseIntact } from '../../../src/base/database/intact-mark.ts';
import { openSqlite, type SqliteDatabase } from '../../../src/base/database/open-sqlite.ts';
import type { Reader } from '../../../src/base/database/reader.ts';
import { startEmulator } from '../../../src/emulator.ts';
import { storedContentProblem } from '../../../src/engine/storage/content-check-store.ts';
import { emptyFolder } from '../../cli/spawned-program.ts';
import { openReceiver } from '../../support/receiver.ts';
import { expectError } from '../../support/wire.ts';
import { ephemeral, world } from '../../support/world.ts';
import { playAll } from '../snapshots/whole-state.ts';

const started = (dataDir: string) => world({ ephemeral: false, dataDir });

/** A data folder in which every feature was used, with a snapshot. */
const made = (async () => {
  const folder = path.join(emptyFolder(), 'data');
  const here = await started(folder);
  const account = await here.account({ credits: 500 });
  await playAll(account, await openReceiver());
  await account.delivered();
  await here.control('POST', '/snapshots', { name: 'kept' });
  await here.close();
  return folder;
})();

async function copied() {
  const data = path.join(emptyFolder(), 'data');
  cpSync(await made, data, { recursive: true });
  const { content } = JSON.parse(readFileSync(path.join(data, 'snapshots/kept.json'), 'utf8'));
  const state = path.join(data, 'emulator.db');
  return {
    data,
    state,
    journal: path.join(data, 'journal.db'),
    snapshot: path.join(data, 'snapshots', content, 'emulator.db'),
  };
}

function change(file: string, sql: string): void {
  const db = openSqlite(file);
  db.exec('PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON');
  db.exec(sql);
  db.close();
}

function readerOf(db: SqliteDatabase): Reader {
  return {
    get: (sql, ...values) => db.prepare(sql).get(...values) as never,
    all: (sql, ...values) => db.prepare(sql).all(...values) as never,
  };
}

it('accepts a database that the emulator itself wrote', async () => {
  const { data, state } = await copied();
  const db = openSqlite(state);
  expect(storedContentProblem(readerOf(db))).toBeUndefined();
  db.close();
  const here = await started(data);
  expect((await here.control('POST', '/snapshots/kept/restore')).status).toBe(200);
});

it('accepts a database whose SQL definitions have other comments', async () => {
  const { data, state } = await copied();
  change(state, 'DROP INDEX keys_of_account; CREATE INDEX keys_of_account -- of keys\n ON keys (account_id)');
  const here = await started(data);
  expect((await here.control('GET', '/accounts')).status).toBe(200);
});

it('detects a NUL in each text column that has a value', async () => {
  const { state } = await copied();
  const db = openSqlite(state);
  onTestFinished(() => void db.close());
  db.exec('PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON');
  const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all() as { name: string }[];
  const trigger = db.prepare("SELECT sql FROM sqlite_schema WHERE name = 'ledger_is_append_only_update'").get();
  let looked = 0;
  const missed: string[] = [];
  for (const { name: table } of tables) {
    const columns = db.prepare('SELECT name, type FROM pragma_table_info(?)').all(table) as Record<string, string>[];
    for (const { name: column } of columns.filter(({ type }) => type === 'TEXT')) {
      // Puts the NUL at the end or at the beginning, in turn.
      const value = looked % 2 === 0 ? `"${column}" || char(0)` : `char(0) || substr("${column}", 2)`;
      db.exec('BEGIN; DROP TRIGGER ledger_is_append_only_update');
      const change = db.prepare(`UPDATE OR IGNORE "${table}" SET "${column}" = ${value} WHERE "${column}" <> ''`).run();
      db.exec((trigger as { sql: string }).sql);
      if (change.changes > 0) {
        looked += 1;
        if (!storedContentProblem(readerOf(db))?.startsWith(`${table}.${column} `)) missed.push(`${table}.${column}`);
      }
      db.exec('ROLLBACK');
    }
  }
  expect(missed).toEqual([]);
  expect(looked).toBeGreaterThan(75);
});

const TRIGGER = 'CREATE TRIGGER evil AFTER INSERT ON ledger BEGIN DELETE FROM usage_days; END';
const OTHERS: [string, string, RegExp][] = [
  ['an additional trigger', TRIGGER, /contains the trigger "evil"/],
  ['an additional view', 'CREATE VIEW evil AS SELECT * FROM keys', /contains the view "evil"/],
  ['an additional table', 'CREATE TABLE evil (x)', /contains the table "evil"/],
  ['an additional index', 'CREATE INDEX evil ON keys (created)', /contains the index "evil"/],
  ['a missing trigger', 'DROP TRIGGER ledger_refund_in_full', /lacks the trigger "ledger_refund_in_full"/],
  [
    'another trigger of the same name',
    `DROP TRIGGER ledger_refund_in_full; ${TRIGGER.replace('evil', 'ledger_refund_in_full')}`,
    /contains the trigger "ledger_refund_in_full"/,
  ],
  ['an additional column', 'ALTER TABLE keys ADD COLUMN evil TEXT', /contains the table "keys"/],
  ['a NUL in a name', "UPDATE accounts SET name = 'a' || char(0)", /accounts\.name contains a NUL/],
  ['a NUL in an id', 'UPDATE elements SET id = id || char(0)', /elements\.id contains a NUL/],
  ['an id with a line break', 'UPDATE elements SET id = id || char(10)', /elements\.id contains characters/],
  [
    'a line break in a name of a file',
    "UPDATE objects SET name = 'a' || char(13)",
    /objects\.name contains characters/,
  ],
  ['an invalid address', "UPDATE jobs SET base_url = 'javascript:0'", /jobs\.base_url contains no address/],
  ['a number out of range', 'UPDATE files SET bytes = 9e18', /files\.bytes contains a number out of range/],
  ['a time out of range', 'UPDATE accounts SET created = 9e15', /accounts\.created contains a time out of range/],
  ['a position out of range', 'UPDATE library SET position = 9e14', /library\.position contains a number out of/],
  ['an invalid clock', "UPDATE settings SET value = '[]' WHERE name = 'clock'", /settings\.value holds no clock/],
  ['JSON of another kind', "UPDATE flows SET steps = '7'", /flows\.steps holds no JSON/],
  [
    'the name of a file outside of its folder',
    "INSERT INTO files VALUES ('../../victim', 'render', 1, 'image/png', NULL, 1)",
    /files\.name names a file/,
  ],
];

it.each(OTHERS)('refuses to start on a database with %s, and names the problem', async (_what, sql, reason) => {
  const { data, state } = await copied();
  change(state, sql);
  const start = startEmulator(ephemeral({ ephemeral: false, dataDir: data }));
  await expect(start).rejects.toThrow(/was not made by svc-emulator: .*No file was touched.*--data-dir/);
  await expect(start).rejects.toThrow(reason);
});

const { data: holding, snapshot: spoilt } = await copied();
const sound = readFileSync(spoilt);
const here = await started(holding);

it.each(OTHERS)('rejects a snapshot with %s, and does not change the accounts [I230]', async (_what, sql, reason) => {
  writeFileSync(spoilt, sound);
  change(spoilt, sql);
  const before = (await here.control('GET', '/accounts')).body;
  const { message } = expectError(await here.control('POST', '/snapshots/kept/restore'), 400, 'invalid_request');
  expect(message).toMatch(reason);
  expect((await here.control('GET', '/accounts')).body).toEqual(before);
  expect((await here.invariants()).ok).toBe(true);
});

it('checks a database again only if it was changed after the stop, and a snapshot only if it was changed after it was saved', async () => {
  const { data, state, snapshot } = await copied();
  const files = [state, snapshot];
  expect(files.map(isDatabaseMarkedIntact)).toEqual([false, false]);
  const first = await started(data);
  await first.control('POST', '/snapshots', { name: 'kept' });
  await first.close();
  const { content } = JSON.parse(readFileSync(path.join(data, 'snapshots/kept.json'), 'utf8'));
  const saved = path.join(data, 'snapshots', content, 'emulator.db');
  expect([state, saved].map(isDatabaseMarkedIntact)).toEqual([true, true]);

  for (const file of [state, saved]) {
    const { atime, mtime } = statSync(file);
    change(file, TRIGGER);
    utimesSync(file, atime, mtime);
  }
  await expect(startEmulator(ephemeral({ ephemeral: false, dataDir: data }))).rejects.toThrow(/trigger "evil"/);
  change(state, 'DROP TRIGGER evil');
  const again = await started(data);
  expectError(await again.control('POST', '/snapshots/kept/restore'), 400, 'invalid_request');
  // If the file is unchanged since the mark, the mark replaces the check.
  markDatabaseIntact(saved);
  expect((await again.control('POST', '/snapshots/kept/restore')).status).toBe(200);
});

it('does not skip the check of a stored database if a write-ahead log lies next to it', async () => {
  const { state } = await copied();
  markDatabaseIntact(state);
  expect(isDatabaseMarkedIntact(state)).toBe(true);
  writeFileSync(`${state}-wal`, '');
  expect(isDatabaseMarkedIntact(state)).toBe(false);
});

it.each([
  ['a trigger', 'CREATE TRIGGER evil AFTER INSERT ON requests BEGIN DELETE FROM audit; END'],
  ['a view', 'CREATE VIEW evil AS SELECT * FROM requests'],
  ['a record that is not JSON', "UPDATE requests SET record = '{'"],
  ['a record with a NUL', 'UPDATE requests SET record = record || char(0)'],
])('starts a new journal instead of one with %s', async (_what, sql) => {
  const { data, journal } = await copied();
  change(journal, sql);
  const here = await started(data);
  expect((await here.control('GET', '/requests')).body.data).toEqual([]);
  await here.close();
  const db = openSqlite(journal, { readonly: true });
  expect(db.prepare("SELECT * FROM sqlite_schema WHERE name = 'evil'").all()).toEqual([]);
  db.close();
});

it("rejects names with a NUL, but accepts a receiver's response with one", async () => {
  const { data } = await copied();
  const here = await started(data);
  const account = await here.account();
  const receiver = await openReceiver();
  receiver.answer({ status: 200, body: 'a\0b' });
  const name = 'a\0b';
  for (const [route, body] of [
    ['/accounts', { name }],
    ['/flows', { workspace_id: account.workspaceId, name, steps: [] }],
    ['/elements', { account_id: account.id, handle: 'b', kind: 'thing', name }],
    ['/elements', { account_id: account.id, handle: 'b', kind: name, name: 'b' }],
    ['/endpoints', { url: `${receiver.origin}/${name}` }],
  ] as const) {
    const { message } = expectError(await here.control('POST', route, body), 400, 'invalid_request');
    expect(message).toContain('contains a NUL character');
  }
  await account.post('/webhooks', { url: `${receiver.origin}/hook`, events: ['image.generation.succeeded'] });
  await account.post('/images/generations', { prompt: 'a pier' });
  await account.delivered();
  const [delivery] = (await here.control('GET', '/deliveries?limit=1')).body.data;
  expect(delivery.response_body).toBe('a\ufffdb');
  await here.close();
  expect((await (await started(data)).invariants()).ok).toBe(true);
});
