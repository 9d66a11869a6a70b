import { storageFullError, systemErrorCode } from '../errors.ts';
import { openSqlite, type SqliteDatabase, type SqliteStatement, type WriteResult } from './open-sqlite.ts';
import type { Reader, SqlValue, Writer } from './reader.ts';

/**
 * `durable` and `quick` survive a killed process. A power failure may lose the last commits of `durable`, and damage a
 * `quick` file. A killed process may damage a `scratch` file. `reading` sees committed state only.
 */
type ConnectionMode = 'durable' | 'quick' | 'scratch' | 'reading';

/** 2 MiB of cache, because the process would be much larger with the 16 MiB that better-sqlite3 uses by default. */
const FEW_PAGES = 'cache_size = -2048';

const WRITING = ['foreign_keys = ON', 'journal_mode = WAL', 'journal_size_limit = 4194304', 'temp_store = MEMORY'];

/** `synchronous` comes first, because it applies to the switch of a new file to WAL. */
const PRAGMAS: Record<ConnectionMode, readonly string[]> = {
  durable: ['synchronous = NORMAL', ...WRITING],
  quick: ['synchronous = OFF', ...WRITING],
  scratch: ['synchronous = OFF', 'page_size = 16384', 'locking_mode = EXCLUSIVE', 'journal_mode = MEMORY', FEW_PAGES],
  reading: [FEW_PAGES],
};

export const READ_BATCH_CHARACTERS = 131_072;

export class Connection implements Reader, Writer {
  readonly #sqlite: SqliteDatabase;
  readonly #prepared = new Map<string, SqliteStatement>();

  /** Throws `storage_full` if SQLite cannot create or open the file. */
  constructor(file: string, { mode }: { mode: ConnectionMode }) {
    this.#sqlite = guarded(() => openSqlite(file, { readonly: mode === 'reading' }));
    for (const pragma of PRAGMAS[mode]) this.script(`PRAGMA ${pragma}`);
  }

  get<Row>(sql: string, ...values: SqlValue[]): Row | undefined {
    try {
      return this.#statement(sql).get(...values) as Row | undefined;
    } catch (error) {
      throw translateSqliteDiskError(error);
    }
  }

  all<Row>(sql: string, ...values: SqlValue[]): Row[] {
    try {
      return this.#statement(sql).all(...values) as Row[];
    } catch (error) {
      throw translateSqliteDiskError(error);
    }
  }

  /** Reads rows until the sum of their sizes reaches `READ_BATCH_CHARACTERS`. */
  piece<Row>(sizeOf: (row: Row) => number, sql: string, ...values: SqlValue[]): Row[] {
    const rows: Row[] = [];
    let size = 0;
    try {
      for (const row of this.#statement(sql).iterate(...values) as Iterable<Row>) {
        rows.push(row);
        size += sizeOf(row);
        if (size >= READ_BATCH_CHARACTERS) break;
      }
      return rows;
    } catch (error) {
      throw translateSqliteDiskError(error);
    }
  }

  run(sql: string, ...values: SqlValue[]): number {
    return this.#write(sql, values).changes;
  }

  insert(sql: string, ...values: SqlValue[]): number {
    return Number(this.#write(sql, values).lastInsertRowid);
  }

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
      // After a disk error SQLite may have rolled back already.
    }
  }

  script(sql: string): void {
    guarded(() => this.#sqlite.exec(sql));
  }

  close(): void {
    this.#prepared.clear();
    this.#sqlite.close();
  }

  #write(sql: string, values: SqlValue[]): WriteResult {
    try {
      return this.#statement(sql).run(...values);
    } catch (error) {
      throw translateSqliteDiskError(error);
    }
  }

  #statement(sql: string): SqliteStatement {
    const known = this.#prepared.get(sql);
    if (known) return known;
    const statement = this.#sqlite.prepare(sql);
    this.#prepared.set(sql, statement);
    return statement;
  }
}

const DISK_CODES = /^SQLITE_(FULL|IOERR|READONLY|CANTOPEN)/;

function guarded<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw translateSqliteDiskError(error);
  }
}

export function translateSqliteDiskError(error: unknown): unknown {
  return DISK_CODES.test(systemErrorCode(error) ?? '') ? storageFullError(error) : error;
}
