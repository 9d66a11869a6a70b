import path from 'node:path';
import { expect, it } from 'vitest';
import type { Reader } from '../../../src/base/database/reader.ts';
import {
  boolean,
  type Column,
  columnName,
  integer,
  json,
  real,
  rowId,
  Table,
  table,
  text,
} from '../../../src/base/database/table.ts';
import { openJournalFile } from '../../../src/engine/journal/journal-store.ts';
import { openDatabase } from '../../support/open-database.ts';
import { sources } from '../../support/sources.ts';

const USER = /from '[./]+(?:base\/database\/)?table\.ts'/;

/** The exported tables of all files that define some. */
async function definedTables(): Promise<{ file: string; defined: Table<Record<string, Column<unknown>>> }[]> {
  const users = sources.filter(({ code }) => USER.test(code));
  const defined = users.map(async ({ name, code }) => {
    const exported = Object.values(await import(path.join('../../../src', name)));
    const found = exported.filter((each) => each instanceof Table);
    // A table that is not exported would not be compared.
    expect([name, found.length]).toEqual([name, code.split(/= table\(/).length - 1]);
    return found.map((each) => ({ file: name, defined: each }));
  });
  return (await Promise.all(defined)).flat();
}

interface ColumnInfo {
  name: string;
  type: string;
  notnull: number;
  pk: number;
}

function schemaOf(db: Reader, name: string): string[] {
  const columns = db.all<ColumnInfo>('SELECT name, type, "notnull", pk FROM pragma_table_info(?)', name);
  return columns.map((each) => `${each.name} ${each.type}${each.notnull || each.pk ? '' : ' or null'}`).toSorted();
}

it('defines every table with the columns, types and nulls of the schema', async () => {
  const { database, folder } = openDatabase();
  const journal = openJournalFile(path.join(folder, 'journal.db'));
  const tables = await definedTables();
  for (const { file, defined } of tables) {
    const written = Object.entries(defined.columns).map(
      ([name, { type, isNullable }]) => `${columnName(name)} ${type}${isNullable ? ' or null' : ''}`,
    );
    const schema = schemaOf(file.startsWith('engine/journal/') ? journal : database, defined.name);
    expect([defined.name, written.toSorted()]).toEqual([defined.name, schema]);
  }
  journal.close();
  expect(tables.length).toBeGreaterThan(2);
});

const fruits = table('fruits', {
  position: rowId,
  id: text,
  weightInGrams: real,
  isRipe: boolean,
  tags: json<string[]>(),
  origin: json<{ country: string }>().nullable(),
  eaten: integer.nullable(),
});

it('stores and reads JSON and booleans, and stores null for an omitted value', async () => {
  const { database } = openDatabase();
  const apple = { id: 'apple', weightInGrams: 150.5, isRipe: true, tags: ['red'], origin: { country: 'NZ' } };
  const pear = { id: 'pear', weightInGrams: 178, isRipe: false, tags: [], origin: null, eaten: 7 };
  await database.transact((tx) => {
    tx.run(`CREATE TABLE fruits (position INTEGER PRIMARY KEY, id TEXT, weight_in_grams REAL, is_ripe INTEGER, tags TEXT,
      origin TEXT, eaten INTEGER)`);
    expect([fruits.insert(tx, apple), fruits.insert(tx, pear)]).toEqual([1, 2]);
  });
  expect(fruits.all(database, `${fruits.select} ORDER BY position`)).toEqual([
    { position: 1, ...apple, eaten: null },
    { position: 2, ...pear },
  ]);
  expect(fruits.get(database, `${fruits.select} WHERE id = ?`, 'plum')).toBeUndefined();
  const raw = database.get('SELECT is_ripe, tags, origin FROM fruits WHERE id = ?', 'pear');
  expect(raw).toEqual({ is_ripe: 0, tags: '[]', origin: null });
});

it('reads selected columns of a table, and expressions that a statement adds', async () => {
  const { database } = openDatabase();
  const some = fruits.pick('id', 'isRipe');
  await database.transact((tx) => {
    tx.run('CREATE TABLE fruits (id TEXT, is_ripe INTEGER)');
    some.insert(tx, { id: 'fig', isRipe: true });
  });
  const sql = `SELECT ${some.list}, length(id) AS letters FROM fruits`;
  expect(some.get<{ letters: number }>(database, sql)).toEqual({ id: 'fig', isRipe: true, letters: 3 });
});
