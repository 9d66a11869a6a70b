/** What SQLite stores. */
export type SqlValue = string | number | bigint | Buffer | null;

/** Reads what is committed (or, inside a transaction, what it has written so far). */
export interface Reader {
  get<Row>(sql: string, ...values: SqlValue[]): Row | undefined;
  all<Row>(sql: string, ...values: SqlValue[]): Row[];
}

/** What a gathering needs of the connection that writes. */
export interface Writer {
  get<Row>(sql: string, ...values: SqlValue[]): Row | undefined;
  run(sql: string, ...values: SqlValue[]): number;
}

/**
 * Rows that the transactions of one group hold in memory, so that one statement writes many of them. They are written
 * before any other statement of the group and before its commit: whoever reads sees them.
 */
export interface WriteBatch {
  /** How many are held. */
  readonly length: number;
  /** Writes the first `count`, and holds them no longer. */
  write(count: number): void;
  /** Forgets all beyond the first `count`: the transaction that brought them has failed. */
  cut(count: number): void;
}

/** Begins an empty one for a group; which one it is decides which rows are held together. */
export type StartWriteBatch<Rows extends WriteBatch> = (writer: Writer) => Rows;

/** A stretch of a table: positions after `after`, up to and with `last`. */
export interface Positions {
  after: number;
  last: number;
}

/** A unit that becomes true as a whole or not at all. Lower functions take it; only `transact` makes one. */
export interface Transaction extends Reader {
  /** The emulator's time, read once when the transaction began: milliseconds. */
  readonly now: number;
  /** Answers how many rows it changed. */
  run(sql: string, ...values: SqlValue[]): number;
  /** Inserts one row; answers its rowid. */
  insert(sql: string, ...values: SqlValue[]): number;
  /** Rows that are held until the next statement or the commit, with those of other transactions of the same commit. */
  gathered<Rows extends WriteBatch>(begin: StartWriteBatch<Rows>): Rows;
  /** Runs after the commit, and never when it fails. Throws once the transaction's function has returned. */
  onCommit(hook: () => void): void;
}

/** Keeps a promise, and so a gap in which others write, out of a transaction. */
export type Immediate<T> = T extends PromiseLike<unknown> ? never : T;
