import Sqlite from 'better-sqlite3';
import { Connection } from './connection.ts';
import { schemaVersion } from './migrate.ts';

/** What keeps a file from being this emulator's database. */
export type DatabaseFault = { newer: number; known: number } | { damage: string };

/** Looks through a file that nobody has open; undefined when all is well. */
export function checkDatabase(file: string): DatabaseFault | undefined {
  try {
    const connection = new Connection(file, { mode: 'reading' });
    try {
      return faultOf(connection);
    } finally {
      connection.close();
    }
  } catch (error) {
    if (!(error instanceof Sqlite.SqliteError)) throw error;
    return { damage: error.message };
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
