import { rmSync } from 'node:fs';
import { Connection } from './connection.ts';

/** What a scratch file holds. A file of another version is replaced by an empty one. */
export interface ScratchForm {
  /** Raised with every change of what is there already. */
  version: number;
  /** Run at each opening: what a file lacks is added. */
  schema: string;
  /** A query that fails where the file is corrupt. */
  probe: string;
}

/** Opens a file that is written without a log of its own. Where a crash has left it corrupt, it is replaced by an empty one. */
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
    if (tables === 0) connection.script(`PRAGMA user_version = ${version}`);
    else if (found !== version) throw new Error('a file of another version');
    connection.script(schema);
    connection.get(probe);
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}
