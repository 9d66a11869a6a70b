import { closeSync, openSync } from 'node:fs';
import { betterSqliteVersion, openBetterSqlite } from './better-sqlite.ts';
import { hasNodeSqlite, NodeDatabase } from './node-sqlite.ts';
import { NO_FILE, type SqliteDatabase, type SqliteOptions } from './sqlite-driver.ts';

/** What SQLite takes for no file at all. */
const IN_MEMORY = ':memory:';

/**
 * Opens a file with the SQLite of Node, where Node has one, else with better-sqlite3. A file that is made is its owner's
 * alone, and so are those that SQLite makes beside it [I229]. Throws `NativeModuleMissing`, or what SQLite says of the file.
 */
export function openSqlite(file: string, options: SqliteOptions = {}): SqliteDatabase {
  if (!options.readonly && !options.fileMustExist && file !== IN_MEMORY && file !== NO_FILE) makePrivate(file);
  return hasNodeSqlite() ? new NodeDatabase(file, options) : openBetterSqlite(file, options);
}

/** Which driver is in use, and the version of SQLite. Throws as `openSqlite`. */
export function describeSqlite(): string {
  const database = openSqlite(IN_MEMORY);
  const found = database.prepare('SELECT sqlite_version() AS version').get() as { version: string };
  database.close();
  return `${hasNodeSqlite() ? 'node:sqlite' : betterSqliteVersion()}, SQLite ${found.version}`;
}

/** One that is there is not opened: to close it would end every lock of this process on it. Where it cannot be made, SQLite says why. */
function makePrivate(file: string): void {
  try {
    closeSync(openSync(file, 'ax', 0o600));
  } catch {
    // It is there, or its own attempt comes next.
  }
}
