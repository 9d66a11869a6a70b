import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { openSqlite } from '../../src/base/database/open-sqlite.ts';
import { emptyFolder } from '../cli/spawned-program.ts';
import { playAll, wholeState } from '../engine/snapshots/whole-state.ts';
import { untilFolder } from '../support/folder-changes.ts';
import { lookUntil } from '../support/look-until.ts';
import { openReceiver, type Receiver } from '../support/receiver.ts';
import { expectError } from '../support/wire.ts';
import { OWN_RENDERS, type World, world } from '../support/world.ts';

const FROZEN = { now: '2031-01-01T00:00:00Z', frozen: true };

/** Tables that must have rows before the reset, because the test would otherwise prove nothing. */
const REACHED = [
  ...['settings', 'sequences', 'workspaces', 'accounts', 'keys', 'ledger', 'jobs', 'files'],
  ...['objects', 'library', 'elements', 'flows', 'runs', 'endpoints', 'events', 'deliveries'],
  ...['faults', 'fixtures'],
];

/** A durable emulator with a fixed seed, whose data folder the test can read. */
async function fresh() {
  const folder = path.join(emptyFolder(), 'data');
  return { folder, here: await world({ ephemeral: false, dataDir: folder, seed: 7 }, OWN_RENDERS) };
}

/** Every table of the database with all its rows, without timestamps. */
function tables(folder: string): Record<string, unknown> {
  const db = openSqlite(path.join(folder, 'emulator.db'), { readonly: true });
  const names = db
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    .all() as { name: string }[];
  const rows = names.map(({ name }) => [name, db.prepare(`SELECT * FROM "${name}"`).all()]);
  db.close();
  const text = JSON.stringify(Object.fromEntries(rows));
  return JSON.parse(text.replaceAll(/\b\d{13}\b/g, '0'));
}

/** The files in the data folder, except the logs of the database. */
function entries(folder: string): string[] {
  const all = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return all.filter((name) => !/-(wal|shm|journal)$/.test(name)).sort();
}

function timers(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
}

async function playOn({ here }: { here: World }, receiver: Receiver) {
  await here.control('PUT', '/clock', FROZEN);
  const account = await here.account({ credits: 500 });
  const { answers } = await playAll(account, receiver);
  const played = { answers, state: await wholeState(here) };
  const plain = JSON.stringify(played).replaceAll(here.url, 'http://localhost');
  // These fields depend on the time of the machine.
  return JSON.parse(
    plain
      .replaceAll(/"(signature|attempted_at|duration_ms)":("[^"]*"|\d+)/g, '"$1":0')
      .replaceAll(/"created":\d{10}\b/g, '"created":0')
      .replaceAll(/"request_id":"req_\w+"/g, '"request_id":""'),
  );
}

it('resets the database, the timers and the stored files to the state of a fresh start, and then repeats the same ids and responses [I085 I091 I097 I155]', async () => {
  const receiver = await openReceiver();
  const untouched = await fresh();
  const used = await fresh();
  const waiting = timers();
  const once = await playOn(used, receiver);
  await used.here.control('POST', '/snapshots', { name: 'kept' });
  const gone = await used.here.account();
  await used.here.call('POST', '/_emulator/inbox/box', 'a message');
  const before = tables(used.folder);
  const after = tables(untouched.folder);
  const filled = Object.keys(before).filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  expect(filled).toEqual(expect.arrayContaining(REACHED));

  await used.here.control('POST', '/reset');
  expect(tables(used.folder)).toEqual(after);
  // The record exists once something is recorded, such as the reset, and the search index once it is needed.
  const isOfState = (name: string) => !/^(?:snapshots|record\.db|search)/.test(name);
  const scratch = path.join(used.folder, 'tmp');
  await untilFolder(scratch, () => readdirSync(scratch).length === 0);
  expect(entries(used.folder).filter(isOfState)).toEqual(entries(untouched.folder).filter(isOfState));
  await lookUntil(() => timers() <= waiting);
  for (const list of ['requests', 'inbox/box/messages']) {
    expect((await used.here.control('GET', `/${list}`)).body.data).toEqual([]);
  }
  expectError(await gone.get('/account'), 401, 'invalid_api_key');
  expect((await used.here.control('GET', '/clock')).body).toMatchObject({ frozen: false });

  // The same ids, answers, webhooks, faults, streams, flows and fixtures.
  expect(await playOn(used, receiver)).toEqual(once);
  expect(await used.here.invariants()).toMatchObject({ ok: true });
});
