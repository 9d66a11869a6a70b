import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { openSqlite } from '../../src/database/open-sqlite.ts';

it('leaves no file behind where a database is only in memory', () => {
  const database = openSqlite(':memory:');
  expect(database.prepare('SELECT 1 AS one').get()).toEqual({ one: 1 });
  database.close();
  expect(existsSync(':memory:')).toBe(false);
});
