import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { openSqlite } from '../../../src/base/database/open-sqlite.ts';
import type { SqliteDatabase } from '../../../src/base/database/sqlite-driver.ts';
import { emptyFolder } from '../../cli/spawned-program.ts';
import { CHAT, expectError } from '../../support/wire.ts';
import { world } from '../../support/world.ts';
import { entriesOf, tarOf } from './archive-entries.ts';

type Spoil = (database: SqliteDatabase) => void;

const run =
  (sql: string): Spoil =>
  (database) =>
    database.exec(sql);
const APPEND_ONLY = 'DROP TRIGGER ledger_is_append_only_update;';

it.each<[string, Spoil | undefined, object, RegExp]>([
  ['whose clock is at the end of time', undefined, { now: 8.64e15 }, /snapshot\.json is not that/],
  ['made at no time that is', undefined, { created: -1 }, /snapshot\.json is not that/],
  ['with a time out of range', run('UPDATE accounts SET created = 9e15'), {}, /accounts\.created/],
  ['with an object of no time', run('UPDATE jobs SET created = -5'), {}, /jobs\.created/],
  ['whose schema has a lying number', run('PRAGMA user_version = 2'), {}, /its tables are not those/],
  ['with a table more', run('CREATE TABLE more (x)'), {}, /its tables are not those/],
  ['without a trigger', run(APPEND_ONLY), {}, /its tables are not those/],
  [
    'with a line break in a media type',
    run("UPDATE library SET content_type = 'a' || char(10) || 'b'"),
    {},
    /content_type/,
  ],
  ['with broken JSON', run("UPDATE jobs SET parameters = '{'"), {}, /jobs\.parameters/],
])('refuses an archive %s, whole, and keeps nothing of it [I230]', async (_what, spoil, about, reason) => {
  const here = await world();
  const ana = await here.account();
  await ana.post('/images/generations', { prompt: 'a pier' });
  await here.control('POST', '/snapshots', { name: 'good' });
  const entries = entriesOf((await here.control('GET', '/snapshots/good/file')).bytes);
  const archive = await tarOf(resealed(entries, spoil, about));
  const tar = { 'content-type': 'application/x-tar' };
  const taken = await here.call('PUT', '/_emulator/snapshots/bad/file', archive, tar);
  expect(expectError(taken, 400, 'invalid_request').message).toMatch(reason);
  const { data } = (await here.control('GET', '/snapshots')).body;
  expect(data.map(({ name }: { name: string }) => name)).toEqual(['good']);
  expect((await here.control('GET', '/health')).status).toBe(200);
  expect((await ana.post('/chat/completions', CHAT)).status).toBe(200);
});

/** The same archive with another database, or another word about itself, under checksums that fit. */
function resealed(entries: ReturnType<typeof entriesOf>, spoil: Spoil | undefined, about: object) {
  const changed = entries.slice(0, -1).map(([name, bytes]): [string, Buffer] => {
    if (name === 'emulator.db' && spoil) return [name, spoilt(bytes, spoil)];
    if (name !== 'snapshot.json') return [name, bytes];
    return [name, Buffer.from(JSON.stringify({ ...JSON.parse(bytes.toString()), ...about }))];
  });
  const sums = changed.map(([name, bytes]) => [name, createHash('sha256').update(bytes).digest('hex')]);
  return [...changed, ['checksums.json', Buffer.from(JSON.stringify(Object.fromEntries(sums)))] as [string, Buffer]];
}

function spoilt(bytes: Buffer, spoil: Spoil): Buffer {
  const file = path.join(emptyFolder(), 'emulator.db');
  writeFileSync(file, bytes);
  const database = openSqlite(file);
  spoil(database);
  database.close();
  return readFileSync(file);
}
