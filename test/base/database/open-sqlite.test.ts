import path from 'node:path';
import { expect, it } from 'vitest';
import { hasNodeSqlite, openSqlite } from '../../../src/base/database/open-sqlite.ts';
import { systemErrorCode } from '../../../src/base/errors.ts';
import { emptyFolder } from '../../cli/spawned-program.ts';

it.each([
  ['20.19.0', 'better-sqlite3'],
  ['22.12.0', 'better-sqlite3'],
  ['22.13.0', 'node:sqlite'],
  ['23.4.0', 'node:sqlite'],
  ['24.0.0', 'node:sqlite'],
])('selects for Node %s the SQLite driver %s', (version, driver) => {
  expect(hasNodeSqlite(version)).toBe(driver === 'node:sqlite');
});

it('reports errors of SQLite with codes such as SQLITE_BUSY and SQLITE_FULL', () => {
  const folder = emptyFolder();
  const file = path.join(folder, 'a.db');
  expect(codeOf(() => openSqlite(file, { readonly: true }))).toBe('SQLITE_CANTOPEN');
  const [one, other] = [openSqlite(file), openSqlite(file, { timeout: 0 })];
  one.exec('CREATE TABLE t (x); BEGIN EXCLUSIVE');
  expect(codeOf(() => other.exec('BEGIN EXCLUSIVE'))).toBe('SQLITE_BUSY');
  one.exec('COMMIT');
  const reading = openSqlite(file, { readonly: true });
  expect(codeOf(() => reading.exec('INSERT INTO t VALUES (1)'))).toBe('SQLITE_READONLY');
  one.exec('PRAGMA max_page_count = 3');
  expect(codeOf(() => one.exec('INSERT INTO t VALUES (zeroblob(100000))'))).toBe('SQLITE_FULL');
  for (const each of [one, other, reading]) each.close();
});

function codeOf(act: () => unknown): string | undefined {
  try {
    act();
  } catch (error) {
    return systemErrorCode(error);
  }
  return 'nothing was refused';
}
