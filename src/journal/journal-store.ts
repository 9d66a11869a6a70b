import { Connection } from '../database/connection.ts';

export interface JournalRow {
  position: number;
  id: string;
  accountId: string | null;
  record: string;
}

/** The journal's own database file: not durable, bounded, and no part of any snapshot. */
export class JournalStore {
  readonly #connection: Connection;

  constructor(file: string) {
    this.#connection = new Connection(file, { readonly: false, durable: false });
    this.#connection.script(`
      CREATE TABLE IF NOT EXISTS requests (
        position INTEGER PRIMARY KEY, id TEXT NOT NULL, account_id TEXT, bytes INTEGER NOT NULL, record TEXT NOT NULL
      ) STRICT;
      CREATE INDEX IF NOT EXISTS requests_of_account ON requests (account_id, position);
      CREATE INDEX IF NOT EXISTS requests_by_id ON requests (id);`);
  }

  /** All or none. */
  insertAll(rows: readonly Omit<JournalRow, 'position'>[]): void {
    this.#connection.run('BEGIN');
    try {
      for (const row of rows) this.#insert(row);
      this.#connection.run('COMMIT');
    } catch (error) {
      this.#connection.run('ROLLBACK');
      throw error;
    }
  }

  #insert({ id, accountId, record }: Omit<JournalRow, 'position'>): void {
    this.#connection.run(
      'INSERT INTO requests (id, account_id, bytes, record) VALUES (?, ?, ?, ?)',
      id,
      accountId,
      record.length,
      record,
    );
  }

  /** Bytes of all records. */
  size(): number {
    return (
      this.#connection.get<{ bytes: number }>(
        'SELECT COALESCE(SUM(bytes), 0) AS bytes FROM requests',
      )?.bytes ?? 0
    );
  }

  /** Keeps the newest `count`. */
  trim(count: number): void {
    this.#connection.run(
      'DELETE FROM requests WHERE position <= (SELECT MAX(position) FROM requests) - ?',
      count,
    );
  }

  /** Newest first; `before` is the position of the last one seen. */
  list(page: { accountId?: string | undefined; limit: number; before: number }): JournalRow[] {
    const columns = 'SELECT position, id, account_id AS accountId, record FROM requests';
    if (page.accountId === undefined) {
      return this.#connection.all(
        `${columns} WHERE position < ? ORDER BY position DESC LIMIT ?`,
        ...[page.before, page.limit],
      );
    }
    return this.#connection.all(
      `${columns} WHERE account_id = ? AND position < ? ORDER BY position DESC LIMIT ?`,
      ...[page.accountId, page.before, page.limit],
    );
  }

  position(id: string): number | undefined {
    return this.#connection.get<{ position: number }>(
      'SELECT position FROM requests WHERE id = ?',
      id,
    )?.position;
  }

  delete(accountId: string | undefined): void {
    if (accountId === undefined) this.#connection.run('DELETE FROM requests');
    else this.#connection.run('DELETE FROM requests WHERE account_id = ?', accountId);
  }

  close(): void {
    this.#connection.close();
  }
}
