import type { SqlValue } from './transaction.ts';

/** The name of a database that ends with its connection: in memory, and in a file without a name once it is large. */
export const NO_FILE = '';

export interface SqliteOptions {
  readonly?: boolean;
  fileMustExist?: boolean;
  /** How long a statement waits for a lock of another connection, in milliseconds; 5000 where it is left out. */
  timeout?: number;
}

/** What better-sqlite3 and `node:sqlite` have in common, under the names of the former. */
export interface SqliteStatement {
  get(...values: SqlValue[]): unknown;
  all(...values: SqlValue[]): unknown[];
  iterate(...values: SqlValue[]): Iterable<unknown>;
  run(...values: SqlValue[]): WriteResult;
}

export interface WriteResult {
  changes: number;
  lastInsertRowid: number | bigint;
}

export interface SqliteDatabase {
  exec(sql: string): unknown;
  prepare(sql: string): SqliteStatement;
  /** A second call does nothing. */
  close(): unknown;
}
