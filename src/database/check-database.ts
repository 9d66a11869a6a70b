import { systemCode } from '../errors.ts';
import { Connection } from './connection.ts';
import { schemaVersion } from './migrate.ts';
import type { Reader } from './transaction.ts';

/** What keeps a file from being this emulator's database. */
export type DatabaseFault = { newer: number; known: number } | { damage: string };

/** Checks a file that no process has open; undefined when it is sound. */
export function checkDatabase(file: string): DatabaseFault | undefined {
  try {
    const connection = new Connection(file, { mode: 'reading' });
    try {
      return faultOf(connection);
    } finally {
      connection.close();
    }
  } catch (error) {
    if (!systemCode(error)?.startsWith('SQLITE_')) throw error;
    return { damage: String(Object(error).message) };
  }
}

function faultOf(connection: Connection): DatabaseFault | undefined {
  const known = schemaVersion();
  const found = connection.get<{ user_version: number }>('PRAGMA user_version')?.user_version ?? 0;
  if (found > known) return { newer: found, known };
  if (found < 1) return { damage: 'it has no schema of svc-emulator' };
  const report = connection.get<{ quick_check: string }>('PRAGMA quick_check(1)')?.quick_check;
  return report === 'ok' ? undefined : { damage: report ?? 'unreadable' };
}

/** The tables, indexes and triggers of a database: two with the same text can be used by the same code. */
export function schemaOf(db: Reader): string {
  return JSON.stringify(db.all('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY 1, 2'));
}
