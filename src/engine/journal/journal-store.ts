import { rmSync } from 'node:fs';
import { Connection } from '../../base/database/connection.ts';
import { requestNumber, requestRun } from '../../base/database/id-store.ts';
import type { SqlValue } from '../../base/database/transaction.ts';
import type { LogTable, TableSize } from '../../base/database/write-behind.ts';
import { AUDIT_SCHEMA } from './audit-store.ts';

export interface JournalRow {
  position: number;
  id: string;
  accountId: string | null;
  /** 0 if the connection was reset. */
  status: number;
  /** JSON of everything but the bodies, which have columns because encoding them would cost more than the rest. */
  facts: string;
  request: string | null;
  answer: string | null;
}

export type NewRow = Omit<JournalRow, 'position'>;

export class JournalStore implements LogTable<NewRow> {
  readonly #connection: Connection;
  /** The last position of earlier runs. */
  readonly #before: number;
  /** The part that the ids of one run share. */
  #run: string | undefined;

  constructor(connection: Connection) {
    this.#connection = connection;
    const last = 'SELECT COALESCE(MAX(position), 0) AS position FROM requests';
    this.#before = this.#connection.get<{ position: number }>(last)?.position ?? 0;
  }

  insertAll(rows: readonly NewRow[]): void {
    try {
      this.#connection.atomically(() => {
        for (let at = 0; at < rows.length; at += MANY) this.#insert(rows.slice(at, at + MANY));
      });
    } catch (error) {
      // The beginning of the run was rolled back and is written with the next rows.
      this.#run = undefined;
      throw error;
    }
  }

  size(): TableSize {
    const found = this.#connection.get<TableSize>(
      'SELECT COUNT(*) AS rows, COALESCE(SUM(bytes), 0) AS bytes FROM requests',
    );
    return found ?? { rows: 0, bytes: 0 };
  }

  /** Returns how much was removed. */
  removeOldest(count: number): TableSize {
    const removed = this.#connection.all<{ position: number; bytes: number }>(
      'SELECT position, bytes FROM requests ORDER BY position LIMIT ?',
      count,
    );
    const last = removed.at(-1);
    if (last) this.#connection.run('DELETE FROM requests WHERE position <= ?', last.position);
    return { rows: removed.length, bytes: removed.reduce((sum, row) => sum + row.bytes, 0) };
  }

  clear(): void {
    this.#connection.run('DELETE FROM requests');
  }

  /** Derived from the number in the id. Null lets the database choose. */
  #newPosition(id: string): number | null {
    const n = requestNumber(id);
    if (n === undefined) return null;
    const run = requestRun(id);
    if (run !== this.#run) this.#begin(run);
    return this.#before + n;
  }

  #begin(run: string): void {
    this.#run = run;
    this.#connection.run('INSERT OR REPLACE INTO runs (name, before) VALUES (?, ?)', run, this.#before);
  }

  /** One statement for many rows costs half as much as one per row. */
  #insert(rows: readonly NewRow[]): void {
    const values = (row: NewRow) => this.#values(row);
    if (rows.length === MANY) this.#connection.run(INSERT_MANY, ...rows.flatMap(values));
    else for (const row of rows) this.#connection.run(INSERT_ONE, ...values(row));
  }

  #values(row: NewRow): SqlValue[] {
    const { id, accountId, status, facts, request, answer } = row;
    return [this.#newPosition(id), id, accountId, status, rowSize(row), facts, request, answer];
  }
}

const MANY = 32;
const INSERT = 'INSERT INTO requests (position, id, account_id, status, bytes, facts, request, answer) VALUES';
const INSERT_ONE = `${INSERT} (?, ?, ?, ?, ?, ?, ?, ?)`;
const INSERT_MANY = `${INSERT} ${Array.from({ length: MANY }, () => '(?, ?, ?, ?, ?, ?, ?, ?)').join(', ')}`;

/** In characters. */
export function rowSize({ facts, request, answer }: NewRow): number {
  return facts.length + (request?.length ?? 0) + (answer?.length ?? 0);
}

/** Increases with every change to existing tables or to the JSON in them. */
const VERSION = 2;

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS requests (
    position INTEGER PRIMARY KEY, id TEXT NOT NULL, account_id TEXT, status INTEGER NOT NULL, bytes INTEGER NOT NULL,
    facts TEXT NOT NULL, request TEXT, answer TEXT
  ) STRICT;
  -- With the sizes, which are added up.
  CREATE INDEX IF NOT EXISTS requests_of_account ON requests (account_id, position, bytes);
  CREATE TABLE IF NOT EXISTS runs (name TEXT PRIMARY KEY, before INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  ${AUDIT_SCHEMA}`;

const NEWEST = 'ORDER BY position DESC LIMIT 1';
/** Fails if the file is corrupt. */
const PROBE = `SELECT (SELECT id FROM requests ${NEWEST}), (SELECT kind FROM audit ${NEWEST})`;

/**
 * Opens the journal's database file, which is not durable and part of no snapshot. An empty one replaces a file that a
 * crash has corrupted, or one of another version.
 */
export function openJournalFile(file: string): Connection {
  try {
    return openScratch(file);
  } catch {
    for (const suffix of ['', '-journal', '-wal', '-shm']) rmSync(file + suffix, { force: true });
    return openScratch(file);
  }
}

function openScratch(file: string): Connection {
  const connection = new Connection(file, { mode: 'scratch' });
  try {
    const found = connection.get<{ user_version: number }>('PRAGMA user_version')?.user_version;
    const tables = connection.get<{ n: number }>('SELECT COUNT(*) AS n FROM sqlite_schema')?.n;
    if (tables === 0) connection.script(`PRAGMA user_version = ${VERSION}`);
    else if (found !== VERSION) throw new Error('a file of another version');
    connection.script(SCHEMA);
    connection.get(PROBE);
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}
