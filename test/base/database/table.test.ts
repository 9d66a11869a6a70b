import path from 'node:path';
import { expect, it } from 'vitest';
import type { Reader } from '../../../src/base/database/reader.ts';
import { type Column, columnName, Table } from '../../../src/base/database/table.ts';
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

it('declares in its code the same columns, types and nulls of each table as a new database file has', async () => {
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
