import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { hasNodeSqlite } from '../../../src/base/database/node-sqlite.ts';
import { openSqlite } from '../../../src/base/database/open-sqlite.ts';
import { systemCode } from '../../../src/base/errors.ts';
import { emptyFolder } from '../../cli/spawned-program.ts';

it('leaves no file behind where a database is only in memory', () => {
  const database = openSqlite(':memory:');
  expect({ ...Object(database.prepare('SELECT 1 AS one').get()) }).toEqual({ one: 1 });
  database.close();
  database.close();
  expect(existsSync(':memory:')).toBe(false);
});

it.each([
  ['20.19.0', false],
  ['22.12.0', false],
  ['22.13.0', true],
  ['23.4.0', true],
  ['24.0.0', true],
])('expects SQLite in Node %s: %s', (version, expected) => {
  expect(hasNodeSqlite(version)).toBe(expected);
});

it('names what SQLite refuses by the same codes on every Node', () => {
  const folder = emptyFolder();
  const file = path.join(folder, 'a.db');
  expect(codeOf(() => openSqlite(file, { fileMustExist: true }))).toBe('SQLITE_CANTOPEN');
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
    return systemCode(error);
  }
  return 'nothing was refused';
}
