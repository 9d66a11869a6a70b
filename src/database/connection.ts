import type Sqlite from 'better-sqlite3';
import { storageFull, systemCode } from '../errors.ts';
import { hold, openSqlite } from './native-handles.ts';
import type { Reader, SqlValue } from './transaction.ts';

/**
 * durable: nothing answered is lost when the process is killed (only when the machine is); quick: a crash may lose it;
 * scratch: a crash may corrupt the file; reading: sees what is committed.
 */
export type ConnectionMode = 'durable' | 'quick' | 'scratch' | 'reading';

/**
 * Pages that a connection keeps, 2 MiB, where it only adds or looks now and then: the system keeps those of the file as
 * well, and with SQLite's own 16 for each a process was half as large again. The state keeps 16, of a million entries too.
 */
const FEW_PAGES = 'cache_size = -2048';

/** Savepoints, of which every transaction is one, keep what they may have to take back: in memory, not in a file. */
const WRITING = [
  'foreign_keys = ON',
  'journal_mode = WAL',
  // The log is written back by the checkpointer; so long only when that cannot, and no longer than that once it is done.
  'wal_autocheckpoint = 64000',
  'journal_size_limit = 4194304',
  'temp_store = MEMORY',
];

/** How it is synchronised comes first: the change to a log of a new file is written under it. */
const PRAGMAS: Record<ConnectionMode, readonly string[]> = {
  durable: ['synchronous = NORMAL', ...WRITING],
  quick: ['synchronous = OFF', ...WRITING],
  scratch: ['synchronous = OFF', 'page_size = 16384', 'locking_mode = EXCLUSIVE', 'journal_mode = MEMORY', FEW_PAGES],
  reading: [FEW_PAGES],
};

/** One SQLite connection; each statement is prepared once. */
export class Connection implements Reader {
  readonly #sqlite: Sqlite.Database;
  readonly #prepared = new Map<string, Sqlite.Statement>();

  /** Throws `storage_full` when the file cannot be made. */
  constructor(file: string, { mode }: { mode: ConnectionMode }) {
    const options = { readonly: mode === 'reading', timeout: 5000 };
    this.#sqlite = guarded(() => openSqlite(file, options));
    for (const pragma of PRAGMAS[mode]) this.script(`PRAGMA ${pragma}`);
  }

  get<Row>(sql: string, ...values: SqlValue[]): Row | undefined {
    try {
      return this.#statement(sql).get(...values) as Row | undefined;
    } catch (error) {
      throw asStorageError(error);
    }
  }

  all<Row>(sql: string, ...values: SqlValue[]): Row[] {
    try {
      return this.#statement(sql).all(...values) as Row[];
    } catch (error) {
      throw asStorageError(error);
    }
  }

  /** The first rows, up to the one with which there is enough. */
  some<Row>(isEnough: (row: Row) => boolean, sql: string, ...values: SqlValue[]): Row[] {
    const rows: Row[] = [];
    try {
      for (const row of hold(this.#statement(sql).iterate(...values)) as IterableIterator<Row>) {
        rows.push(row);
        if (isEnough(row)) break;
      }
      return rows;
    } catch (error) {
      throw asStorageError(error);
    }
  }

  run(sql: string, ...values: SqlValue[]): number {
    return this.#write(sql, values).changes;
  }

  insert(sql: string, ...values: SqlValue[]): number {
    return Number(this.#write(sql, values).lastInsertRowid);
  }

  /** Runs `work` between BEGIN and COMMIT: all that it writes is kept, or nothing. */
  atomically(work: () => void): void {
    this.run('BEGIN');
    try {
      work();
      this.run('COMMIT');
    } catch (error) {
      this.rollBack();
      throw error;
    }
  }

  rollBack(): void {
    try {
      this.run('ROLLBACK');
    } catch {
      // On an error of the disk SQLite has rolled back by itself; the caller has that error.
    }
  }

  /** Runs a script of several statements. */
  script(sql: string): void {
    guarded(() => this.#sqlite.exec(sql));
  }

  close(): void {
    this.#prepared.clear();
    this.#sqlite.close();
  }

  #write(sql: string, values: SqlValue[]): Sqlite.RunResult {
    try {
      return this.#statement(sql).run(...values);
    } catch (error) {
      throw asStorageError(error);
    }
  }

  #statement(sql: string): Sqlite.Statement {
    const known = this.#prepared.get(sql);
    if (known) return known;
    const statement = hold(this.#sqlite.prepare(sql));
    this.#prepared.set(sql, statement);
    return statement;
  }
}

const DISK_CODES = /^SQLITE_(FULL|IOERR|READONLY|CANTOPEN)/;

function guarded<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw asStorageError(error);
  }
}

/** Turns a disk that is full or read-only into an error that says so. */
export function asStorageError(error: unknown): unknown {
  return DISK_CODES.test(systemCode(error) ?? '') ? storageFull(error) : error;
}

/** For `some`: ends after the row with which the sum of `sizeOf` reaches `most`. */
export function enough<Row>(most: number, sizeOf: (row: Row) => number): (row: Row) => boolean {
  let size = 0;
  return (row) => {
    size += sizeOf(row);
    return size >= most;
  };
}
