import { rmSync } from 'node:fs';
import { Connection } from '../database/connection.ts';
import type { SqlValue } from '../database/transaction.ts';
import { requestNumber } from '../random.ts';

export interface JournalRow {
  position: number;
  id: string;
  accountId: string | null;
  /** JSON of everything but the bodies, which stand beside it as they are: writing them as JSON would cost more than the rest. */
  facts: string;
  request: string | null;
  answer: string | null;
}

export type NewRow = Omit<JournalRow, 'position'>;

/** How much there is: rows, and characters of all their records. */
export interface JournalSize {
  rows: number;
  bytes: number;
}

/** The journal's own database file: not durable, bounded, and no part of any snapshot. */
export class JournalStore {
  readonly #connection: Connection;
  /** The last place that earlier runs have taken. */
  readonly #before: number;

  constructor(file: string) {
    this.#connection = openUsable(file);
    const last = 'SELECT COALESCE(MAX(position), 0) AS position FROM requests';
    this.#before = this.#connection.get<{ position: number }>(last)?.position ?? 0;
  }

  /** All or none. */
  insertAll(rows: readonly NewRow[]): void {
    this.#connection.run('BEGIN');
    try {
      for (let at = 0; at < rows.length; at += MANY) this.#insert(rows.slice(at, at + MANY));
      this.#connection.run('COMMIT');
    } catch (error) {
      this.#connection.run('ROLLBACK');
      throw error;
    }
  }

  size(): JournalSize {
    const found = this.#connection.get<JournalSize>(
      'SELECT COUNT(*) AS rows, COALESCE(SUM(bytes), 0) AS bytes FROM requests',
    );
    return found ?? { rows: 0, bytes: 0 };
  }

  /** Removes the oldest `count`; answers how much that was. */
  removeOldest(count: number): JournalSize {
    const removed = this.#connection.all<{ position: number; bytes: number }>(
      'SELECT position, bytes FROM requests ORDER BY position LIMIT ?',
      count,
    );
    const last = removed.at(-1);
    if (last) this.#connection.run('DELETE FROM requests WHERE position <= ?', last.position);
    return { rows: removed.length, bytes: removed.reduce((sum, row) => sum + row.bytes, 0) };
  }

  /** Newest first; `before` is the position of the last one seen. */
  list(page: { accountId?: string | undefined; limit: number; before: number }): JournalRow[] {
    const columns =
      'SELECT position, id, account_id AS accountId, facts, request, answer FROM requests';
    const { accountId, before, limit } = page;
    if (accountId === undefined) {
      const all = `${columns} WHERE position < ? ORDER BY position DESC LIMIT ?`;
      return this.#connection.all(all, before, limit);
    }
    const own = `${columns} WHERE account_id = ? AND position < ? ORDER BY position DESC LIMIT ?`;
    return this.#connection.all(own, accountId, before, limit);
  }

  /** Where a request stands: at the place that its number gives, unless an earlier run of the emulator made its id. */
  position(id: string): number | undefined {
    const place = this.#place(id);
    const there = this.#connection.get<{ id: string }>(
      'SELECT id FROM requests WHERE position = ?',
      place,
    );
    if (there?.id === id) return place ?? undefined;
    const found = 'SELECT position FROM requests WHERE id = ?';
    return this.#connection.get<{ position: number }>(found, id)?.position;
  }

  /** Null leaves the place to the database. */
  #place(id: string): number | null {
    const n = requestNumber(id);
    return n === undefined ? null : this.#before + n;
  }

  delete(accountId: string | undefined): void {
    if (accountId === undefined) this.#connection.run('DELETE FROM requests');
    else this.#connection.run('DELETE FROM requests WHERE account_id = ?', accountId);
  }

  close(): void {
    this.#connection.close();
  }

  /** Many at once: one statement of sixteen rows costs half of sixteen of one. */
  #insert(rows: readonly NewRow[]): void {
    const values = (row: NewRow) => this.#values(row);
    if (rows.length === MANY) this.#connection.run(INSERT_MANY, ...rows.flatMap(values));
    else for (const row of rows) this.#connection.run(INSERT_ONE, ...values(row));
  }

  #values(row: NewRow): SqlValue[] {
    const { id, accountId, facts, request, answer } = row;
    return [this.#place(id), id, accountId, rowSize(row), facts, request, answer];
  }
}

const MANY = 16;
const INSERT =
  'INSERT INTO requests (position, id, account_id, bytes, facts, request, answer) VALUES';
const INSERT_ONE = `${INSERT} (?, ?, ?, ?, ?, ?, ?)`;
const INSERT_MANY = `${INSERT} ${Array.from({ length: MANY }, () => '(?, ?, ?, ?, ?, ?, ?)').join(', ')}`;

/** Characters of a row. */
export function rowSize({ facts, request, answer }: NewRow): number {
  return facts.length + (request?.length ?? 0) + (answer?.length ?? 0);
}

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS requests (
    position INTEGER PRIMARY KEY, id TEXT NOT NULL, account_id TEXT, bytes INTEGER NOT NULL,
    facts TEXT NOT NULL, request TEXT, answer TEXT
  ) STRICT;
  CREATE INDEX IF NOT EXISTS requests_of_account ON requests (account_id, position);`;

/** A crash may leave this file unreadable, since it is written without a log of its own: then it begins anew. */
function openUsable(file: string): Connection {
  try {
    return open(file);
  } catch {
    for (const suffix of ['', '-journal', '-wal', '-shm']) rmSync(file + suffix, { force: true });
    return open(file);
  }
}

function open(file: string): Connection {
  const connection = new Connection(file, { mode: 'scratch' });
  connection.script(SCHEMA);
  connection.get('SELECT COUNT(*) FROM requests');
  return connection;
}
