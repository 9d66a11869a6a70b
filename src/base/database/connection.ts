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

  /** Reads rows until `isEnough` accepts one. This row is included. */
  some<Row>(isEnough: (row: Row) => boolean, sql: string, ...values: SqlValue[]): Row[] {
    const rows: Row[] = [];
    try {
      for (const row of this.#statement(sql).iterate(...values) as Iterable<Row>) {
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

export function enough<Row>(most: number, sizeOf: (row: Row) => number): (row: Row) => boolean {
  let size = 0;
  return (row) => {
    size += sizeOf(row);
    return size >= most;
  };
}

const NO_HOOKS: (() => void)[] = [];

export class OpenTransaction implements Transaction {
  readonly now: number;
  readonly #connection: Connection;
  readonly #writeBatches: WriteBatches;
  readonly #before: readonly number[];
  #hooks = NO_HOOKS;
  #hasSavepoint = false;
  #isOpen = true;

  constructor(connection: Connection, writeBatches: WriteBatches, now: number) {
    this.#connection = connection;
    this.#writeBatches = writeBatches;
    this.#before = writeBatches.mark();
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

  gathered<Rows extends WriteBatch>(begin: StartWriteBatch<Rows>): Rows {
    this.#requireOpen();
    return this.#writeBatches.of(begin);
  }

  onCommit(hook: () => void): void {
    this.#requireOpen();
    if (this.#hooks === NO_HOOKS) this.#hooks = [hook];
    else this.#hooks.push(hook);
  }

  close(): readonly (() => void)[] {
    this.#isOpen = false;
    if (this.#hasSavepoint) {
      this.#writeBatches.writeAll();
      this.#connection.run('RELEASE member');
    }
    return this.#hooks;
  }

  undo(): void {
    this.#isOpen = false;
    this.#writeBatches.cutTo(this.#hasSavepoint ? [] : this.#before);
    if (!this.#hasSavepoint) return;
    this.#connection.run('ROLLBACK TO member');
    this.#connection.run('RELEASE member');
  }

  #live(): Connection {
    this.#requireOpen();
    if (!this.#hasSavepoint) {
      this.#writeBatches.writeTo(this.#before);
      this.#connection.run('SAVEPOINT member');
      this.#hasSavepoint = true;
    }
    this.#writeBatches.writeAll();
    return this.#connection;
  }

  #requireOpen(): void {
    if (!this.#isOpen) throw new Error('This transaction has ended: its function has returned.');
  }
}

export class WriteBatches {
  readonly #writer: Writer;
  readonly #started = new Map<StartWriteBatch<WriteBatch>, WriteBatch>();
  #isBroken = false;

  constructor(writer: Writer) {
    this.#writer = writer;
  }

  of<Rows extends WriteBatch>(begin: StartWriteBatch<Rows>): Rows {
    const started = this.#started.get(begin);
    if (started) return started as Rows;
    const rows = begin(this.#writer);
    this.#started.set(begin, rows);
    return rows;
  }

  mark(): number[] {
    const marks: number[] = [];
    for (const rows of this.#started.values()) marks.push(rows.length);
    return marks;
  }

  /** Whether writing rows of other transactions failed midway. The group must then be abandoned. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  writeTo(marks: readonly number[]): void {
    this.#isBroken = true;
    let at = 0;
    for (const rows of this.#started.values()) {
      const count = marks[at++] ?? 0;
      if (count > 0) rows.write(count);
    }
    this.#isBroken = false;
  }

  writeAll(): void {
    for (const rows of this.#started.values()) if (rows.length > 0) rows.write(rows.length);
  }

  cutTo(marks: readonly number[]): void {
    let at = 0;
    for (const rows of this.#started.values()) rows.cut(marks[at++] ?? 0);
  }
}
