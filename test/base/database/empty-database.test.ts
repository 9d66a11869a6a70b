import { readdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { VirtualClock } from '../../../src/base/clock/clock.ts';
import { Connection } from '../../../src/base/database/connection.ts';
import { Database } from '../../../src/base/database/database.ts';
import { foundVersion, migrate, schemaOf, schemaVersion } from '../../../src/base/database/migrate.ts';
import { emptyFolder } from '../../cli/spawned-program.ts';

function opened(file: string): Database {
  const database = new Database({ file, durable: true, clock: new VirtualClock() });
  onTestFinished(() => database.close());
  return database;
}

/** The tables that all migrations make. */
function migrated(): string {
  const fresh = new Connection(':memory:', { mode: 'quick' });
  onTestFinished(() => fresh.close());
  migrate(fresh);
  return schemaOf(fresh);
}

const accounts = (database: Database) => database.all('SELECT id FROM accounts');

it('begins a new file with the tables that all migrations make, for its owner alone [I229]', () => {
  const folder = emptyFolder();
  const file = path.join(folder, 'new.db');
  const database = opened(file);
  expect([schemaOf(database), foundVersion(database)]).toEqual([migrated(), schemaVersion()]);
  expect(accounts(database)).toEqual([]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder).filter((name) => !/^new\.db(-wal|-shm)?$/.test(name))).toEqual([]);
});

it('makes the same tables itself in a file that was made and never written', () => {
  const file = path.join(emptyFolder(), 'bare.db');
  writeFileSync(file, '');
  const database = opened(file);
  expect([schemaOf(database), foundVersion(database)]).toEqual([migrated(), schemaVersion()]);
});

it('leaves a file that is there as it is', async () => {
  const file = path.join(emptyFolder(), 'known.db');
  const first = new Database({ file, durable: true, clock: new VirtualClock() });
  await first.transact((tx) => tx.run("INSERT INTO settings VALUES ('a', 'b')"));
  first.close();
  expect(opened(file).all("SELECT value FROM settings WHERE name = 'a'")).toEqual([{ value: 'b' }]);
});
