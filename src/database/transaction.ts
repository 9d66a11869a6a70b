/** What SQLite stores. */
export type SqlValue = string | number | bigint | Buffer | null;

/** Reads what is committed (or, inside a transaction, what it has written so far). */
export interface Reader {
  get<Row>(sql: string, ...values: SqlValue[]): Row | undefined;
  all<Row>(sql: string, ...values: SqlValue[]): Row[];
}

/** A unit that becomes true as a whole or not at all. Lower functions take it; only `transact` makes one. */
export interface Transaction extends Reader {
  /** The emulator's time, read once when the transaction began: milliseconds. */
  readonly now: number;
  /** Answers how many rows it changed. */
  run(sql: string, ...values: SqlValue[]): number;
  /** Inserts one row; answers its rowid. */
  insert(sql: string, ...values: SqlValue[]): number;
  /** Runs after the commit, and never when it fails. Throws once the transaction's function has returned. */
  onCommit(hook: () => void): void;
}

/** Keeps a promise, and so a gap in which others write, out of a transaction. */
export type Immediate<T> = T extends PromiseLike<unknown> ? never : T;
