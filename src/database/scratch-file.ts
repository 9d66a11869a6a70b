import { rmSync } from 'node:fs';
import { Connection } from './connection.ts';

/** What a scratch file holds: raise the version with every change of the schema; a file of another one begins anew. */
export interface ScratchForm {
  version: number;
  schema: string;
  /** A query that fails where the file is spoilt. */
  probe: string;
}

/** A crash may leave such a file unreadable, since it is written without a log of its own: then it begins anew. */
export function openScratch(file: string, form: ScratchForm): Connection {
  try {
    return open(file, form);
  } catch {
    for (const suffix of ['', '-journal', '-wal', '-shm']) rmSync(file + suffix, { force: true });
    return open(file, form);
  }
}

/** Throws for a file that cannot be read, and for one of another version. */
function open(file: string, { version, schema, probe }: ScratchForm): Connection {
  const connection = new Connection(file, { mode: 'scratch' });
  try {
    const found = connection.get<{ user_version: number }>('PRAGMA user_version')?.user_version;
    const tables = connection.get<{ n: number }>('SELECT COUNT(*) AS n FROM sqlite_schema')?.n;
    if (tables === 0) connection.script(`${schema}\nPRAGMA user_version = ${version};`);
    else if (found !== version) throw new Error('a file of another version');
    connection.get(probe);
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}
