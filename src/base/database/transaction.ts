/** What SQLite stores. */
export type SqlValue = string | number | bigint | Buffer | null;

/** Reads what is committed (or, inside a transaction, what it has written so far). */
export interface Reader {
  get<Row>(sql: string, ...values: SqlValue[]): Row | undefined;
  all<Row>(sql: string, ...values: SqlValue[]): Row[];
}

/** What a write batch needs of the connection that writes. */
export interface Writer {
  get<Row>(sql: string, ...values: SqlValue[]): Row | undefined;
  run(sql: string, ...values: SqlValue[]): number;
}

/**
 * Rows that the transactions of one group keep in memory, so that one statement writes many of them. They are written
 * before any other statement of the group and before its commit: every reader sees them.
 */
export interface WriteBatch {
  /** The number of rows. */
  readonly length: number;
  /** Writes the first `count` rows and removes them. */
  write(count: number): void;
  /** Removes all rows beyond the first `count`: their transaction has failed. */
  cut(count: number): void;
}

/** Starts an empty batch for a group; rows of the same function share a batch. */
export type StartWriteBatch<Rows extends WriteBatch> = (writer: Writer) => Rows;

/** A stretch of a table: positions after `after`, up to and with `last`. */
export interface Positions {
  after: number;
  last: number;
}

/** A unit that is written as a whole or not at all. Lower functions take it; only `transact` makes one. */
export interface Transaction extends Reader {
  /** The emulator's time, read once when the transaction began: milliseconds. */
  readonly now: number;
  /** Answers how many rows it changed. */
  run(sql: string, ...values: SqlValue[]): number;
  /** Inserts one row; answers its rowid. */
  insert(sql: string, ...values: SqlValue[]): number;
  /** The batch of rows that are written at the next statement or the commit, with those of other transactions. */
  gathered<Rows extends WriteBatch>(begin: StartWriteBatch<Rows>): Rows;
  /** Runs after the commit, and never when it fails. Throws once the transaction's function has returned. */
  onCommit(hook: () => void): void;
}

/** Keeps a promise, and so a gap in which others write, out of a transaction. */
export type Immediate<T> = T extends PromiseLike<unknown> ? never : T;
