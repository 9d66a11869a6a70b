import { storageFull, systemCode } from '../errors.ts';
import { openSqlite, type SqliteDatabase, type SqliteStatement, type WriteResult } from './open-sqlite.ts';
import type { Reader, SqlValue, StartWriteBatch, Transaction, WriteBatch, Writer } from './transaction.ts';

/**
 * `durable` survives a killed process, not a power failure. `quick` may lose commits in a crash. `scratch` may corrupt
 * the file in a crash. `reading` sees committed state only.
 */
type ConnectionMode = 'durable' | 'quick' | 'scratch' | 'reading';

/** 2 MiB for connections that rarely read. SQLite's 16 MiB for each of them made a process half as large again. */
const FEW_PAGES = 'cache_size = -2048';

const WRITING = ['foreign_keys = ON', 'journal_mode = WAL', 'journal_size_limit = 4194304', 'temp_store = MEMORY'];

/** `synchronous` comes first, because it applies to the switch of a new file to WAL. */
const PRAGMAS: Record<ConnectionMode, readonly string[]> = {
  durable: ['synchronous = NORMAL', ...WRITING],
  quick: ['synchronous = OFF', ...WRITING],
  scratch: ['synchronous = OFF', 'page_size = 16384', 'locking_mode = EXCLUSIVE', 'journal_mode = MEMORY', FEW_PAGES],
  reading: [FEW_PAGES],
};

/** How many characters of rows are read at once. */
export const PIECE = 131_072;

export class Connection implements Reader {
  readonly #sqlite: SqliteDatabase;
  readonly #prepared = new Map<string, SqliteStatement>();

  /** Throws `storage_full` if the file cannot be created. */
  constructor(file: string, { mode }: { mode: ConnectionMode }) {
    this.#sqlite = guarded(() => openSqlite(file, { readonly: mode === 'reading' }));
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

  /** Reads rows until their sizes add up to `PIECE`. */
  piece<Row>(sizeOf: (row: Row) => number, sql: string, ...values: SqlValue[]): Row[] {
    const rows: Row[] = [];
    let size = 0;
    try {
      for (const row of this.#statement(sql).iterate(...values) as Iterable<Row>) {
        rows.push(row);
        size += sizeOf(row);
        if (size >= PIECE) break;
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
      // After a disk error SQLite has already rolled back.
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
      throw asStorageError(error);
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
    throw asStorageError(error);
  }
}

function asStorageError(error: unknown): unknown {
  return DISK_CODES.test(systemCode(error) ?? '') ? storageFull(error) : error;
}

const NO_HOOKS: (() => void)[] = [];

export class OpenTransaction implements Transaction {
  readonly now: number;
  readonly #connection: Connection;
  readonly #rows: UnwrittenRows;
  /** The count of rows of earlier transactions. */
  readonly #before: number;
  #hooks = NO_HOOKS;
  #hasSavepoint = false;
  #hasBrokenGroup = false;
  #isOpen = true;

  constructor(connection: Connection, rows: UnwrittenRows, now: number) {
    this.#connection = connection;
    this.#rows = rows;
    this.#before = rows.count;
    this.now = now;
  }

  get<Row>(sql: string, ...values: SqlValue[]): Row | undefined {
    return this.#live().get<Row>(sql, ...values);
  }

  all<Row>(sql: string, ...values: SqlValue[]): Row[] {
    return this.#live().all<Row>(sql, ...values);
  }

  run(sql: string, ...values: SqlValue[]): number {
    return this.#live().run(sql, ...values);
  }

  insert(sql: string, ...values: SqlValue[]): number {
    return this.#live().insert(sql, ...values);
  }

  batch<Rows extends WriteBatch>(start: StartWriteBatch<Rows>): Rows {
    this.#requireOpen();
    return this.#rows.batch(start);
  }

  onCommit(hook: () => void): void {
    this.#requireOpen();
    if (this.#hooks === NO_HOOKS) this.#hooks = [hook];
    else this.#hooks.push(hook);
  }

  close(): readonly (() => void)[] {
    this.#isOpen = false;
    if (this.#hasSavepoint) {
      this.#rows.write();
      this.#connection.run('RELEASE member');
    }
    return this.#hooks;
  }

  /** Throws if the whole group must be abandoned. */
  undo(): void {
    this.#isOpen = false;
    if (this.#hasBrokenGroup) throw new Error('Rows of earlier transactions were only partly written.');
    this.#rows.cut(this.#hasSavepoint ? 0 : this.#before);
    if (!this.#hasSavepoint) return;
    this.#connection.run('ROLLBACK TO member');
    this.#connection.run('RELEASE member');
  }

  #live(): Connection {
    this.#requireOpen();
    if (!this.#hasSavepoint) {
      this.#hasBrokenGroup = true;
      this.#rows.write(this.#before);
      this.#hasBrokenGroup = false;
      this.#connection.run('SAVEPOINT member');
      this.#hasSavepoint = true;
    }
    this.#rows.write();
    return this.#connection;
  }

  #requireOpen(): void {
    if (!this.#isOpen) throw new Error('This transaction has ended: its function has returned.');
  }
}

/** The rows that the transactions of one group have collected. */
export class UnwrittenRows {
  readonly #writer: Writer;
  #batch: WriteBatch | undefined;

  constructor(writer: Writer) {
    this.#writer = writer;
  }

  batch<Rows extends WriteBatch>(start: StartWriteBatch<Rows>): Rows {
    this.#batch ??= start(this.#writer);
    return this.#batch as Rows;
  }

  get count(): number {
    return this.#batch?.length ?? 0;
  }

  write(count = this.count): void {
    if (count > 0) this.#batch?.write(count);
  }

  cut(count: number): void {
    this.#batch?.cut(count);
  }
}
