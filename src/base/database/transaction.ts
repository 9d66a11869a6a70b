export type SqlValue = string | number | bigint | Buffer | null;

/** Reads committed state, or inside a transaction also its own writes. */
export interface Reader {
  get<Row>(sql: string, ...values: SqlValue[]): Row | undefined;
  all<Row>(sql: string, ...values: SqlValue[]): Row[];
}

export interface Writer {
  get<Row>(sql: string, ...values: SqlValue[]): Row | undefined;
  run(sql: string, ...values: SqlValue[]): number;
}

/**
 * Rows that the transactions of one group collect, so that one statement writes many of them. They are written before
 * the next statement and before the commit, so every reader sees them.
 */
export interface WriteBatch {
  readonly length: number;
  write(count: number): void;
  /** Removes all rows after the first `count`, because their transaction failed. */
  cut(count: number): void;
}

export type StartWriteBatch<Rows extends WriteBatch> = (writer: Writer) => Rows;

export interface Positions {
  after: number;
  last: number;
}

export interface Transaction extends Reader {
  /** The emulator's time in milliseconds, read once when the transaction began. */
  readonly now: number;
  run(sql: string, ...values: SqlValue[]): number;
  insert(sql: string, ...values: SqlValue[]): number;
  /** The one batch of the group; all callers pass the same function. */
  batch<Rows extends WriteBatch>(start: StartWriteBatch<Rows>): Rows;
  /** Runs `hook` after the commit, and never if the commit fails. Throws after the transaction has ended. */
  onCommit(hook: () => void): void;
}

/** Forbids promises, so that no other transaction can write in between. */
export type Immediate<T> = T extends PromiseLike<unknown> ? never : T;
