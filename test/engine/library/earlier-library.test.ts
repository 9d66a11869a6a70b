import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { VirtualClock } from '../../../src/base/clock/virtual-clock.ts';
import { Database } from '../../../src/base/database/database.ts';
import { openSqlite } from '../../../src/base/database/open-sqlite.ts';
import { listEntries } from '../../../src/engine/library/library.ts';
import { emptyFolder } from '../../cli/spawned-program.ts';

const MIGRATIONS = path.join(import.meta.dirname, '../../../src/base/database/migrations');
const BEFORE = 3;

/** A library of the version that knew no words. */
function earlierDatabase(): string {
  const folder = emptyFolder();
  const file = path.join(folder, 'emulator.db');
  const sqlite = openSqlite(file);
  for (const name of readdirSync(MIGRATIONS).sort().slice(0, BEFORE)) {
    sqlite.exec(readFileSync(path.join(MIGRATIONS, name), 'utf8'));
  }
  sqlite.exec(`
    INSERT INTO workspaces (id, plan, created) VALUES ('ws_1', 'payg', 1);
    INSERT INTO accounts (id, workspace_id, name, role, created) VALUES ('acct_1', 'ws_1', 'A', 'owner', 1);`);
  const order = sqlite.prepare(
    `INSERT INTO jobs (id, account_id, workspace_id, medium, status, model, awaited, parameters, render, store, credits,
       charge, base_url, result, created, completed)
     VALUES (?, 'acct_1', 'ws_1', 'image', 'succeeded', 'm', 0, ?, '{"kind":"image"}', 0, 10, ?, '', '{}', 1, 1)`,
  );
  const pay = sqlite.prepare(
    `INSERT INTO ledger (account_id, n, type, amount, balance, operation, created)
     VALUES ('acct_1', ?, 'charge', -10, 0, 'image.generation', 1)`,
  );
  const insert = sqlite.prepare(
    `INSERT INTO library (id, account_id, medium, model, job_id, file, bytes, content_type, credits, recipe, render, created)
     VALUES (?, 'acct_1', 'image', 'm', ?, 'f', 1, 'image/png', 10, ?, '{"kind":"image"}', 1)`,
  );
  const recipes = [
    { prompt: 'a red boat', title: null },
    { title: 'The Pier', lyrics: 'Fog rolls in' },
  ];
  recipes
    .map((recipe) => JSON.stringify(recipe))
    .forEach((recipe, at) => {
      pay.run(at + 1);
      order.run(`job_${at + 1}`, recipe, at + 1);
      insert.run(`lib_${at + 1}`, `job_${at + 1}`, recipe);
    });
  sqlite.exec(`PRAGMA user_version = ${BEFORE}`);
  sqlite.close();
  return file;
}

it('finds by their words what an earlier version has kept', () => {
  const clock = new VirtualClock();
  const database = new Database({ file: earlierDatabase(), durable: false, clock });
  onTestFinished(() => {
    database.close();
    clock.clear();
  });
  const found = (text: string) => listEntries(database, { text }).map(({ id }) => id);
  expect(found('RED BOAT')).toEqual(['lib_1']);
  expect(found('pier')).toEqual(['lib_2']);
  expect(found('fog rolls')).toEqual(['lib_2']);
  expect(found('null')).toEqual([]);
});
