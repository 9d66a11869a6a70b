import type { Connection } from '../database/connection.ts';
import { enough } from '../database/enough.ts';
import { openScratch } from '../database/scratch-file.ts';
import type { SqlValue } from '../database/transaction.ts';
import type { Act, ActCall, ActDetail, ActKind, StoredAct } from './act.ts';

/** Which acts are wanted, newest first: those before a position. */
export interface ActPage {
  before: number;
  limit: number;
  accountId?: string | undefined;
  kind?: ActKind | undefined;
  ref?: string | undefined;
  /** Milliseconds of the machine's clock: those of then or later. */
  since?: number | undefined;
}

/** An act as it is kept. */
export interface ActRow {
  position: number;
  kind: ActKind;
  at: number;
  now: number;
  accountId: string | null;
  ref: string | null;
  told: string;
}

const FORM = {
  version: 1,
  schema: `
  CREATE TABLE acts (
    position INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, at REAL NOT NULL, now REAL NOT NULL,
    account_id TEXT, ref TEXT, told TEXT NOT NULL
  ) STRICT;
  CREATE INDEX acts_of_account ON acts (account_id, position);
  CREATE INDEX acts_of_kind ON acts (kind, position);`,
  probe: 'SELECT kind FROM acts ORDER BY position DESC LIMIT 1',
};

const COLUMNS = 'SELECT position, kind, at, now, account_id AS accountId, ref, told FROM acts';

/** Characters of the rows that are read at once, but for the last of them. */
const PIECE = 131_072;

/** The record's own file: nothing but added to and bounded, not durable, and no part of any snapshot. */
export class ActStore {
  readonly #connection: Connection;

  constructor(file: string) {
    this.#connection = openScratch(file, FORM);
  }

  /** All or none. */
  insertAll(acts: readonly Act[]): void {
    this.#connection.atomically(() => {
      for (const { kind, at, now, accountId, ref, call, detail } of acts) {
        this.#connection.run(
          'INSERT INTO acts (kind, at, now, account_id, ref, told) VALUES (?, ?, ?, ?, ?, ?)',
          ...[kind, at, now, accountId, ref, JSON.stringify([call, detail])],
        );
      }
    });
  }

  list({ before, limit, accountId, kind, ref, since }: ActPage): StoredAct[] {
    const conditions: [string, SqlValue | undefined][] = [
      ['account_id = ?', accountId],
      ['kind = ?', kind],
      ['ref = ?', ref],
      ['at >= ?', since],
    ];
    const given = conditions.flatMap(([text, value]) => (value === undefined ? [] : [{ text, value }]));
    const where = ['position < ?', ...given.map(({ text }) => text)].join(' AND ');
    return this.#connection
      .all<ActRow>(
        `${COLUMNS} WHERE ${where} ORDER BY position DESC LIMIT ?`,
        before,
        ...given.map(({ value }) => value),
        limit,
      )
      .map(storedAct);
  }

  /** The place before the newest so many; 0 where there are no more than these. */
  placeBefore(newest: number): number {
    const sql = 'SELECT position FROM acts ORDER BY position DESC LIMIT 1 OFFSET ?';
    return this.#connection.get<{ position: number }>(sql, newest)?.position ?? 0;
  }

  /** The first rows after a place, oldest first. */
  piece(after: number): ActRow[] {
    const isEnough = enough<ActRow>(PIECE, ({ told }) => told.length);
    return this.#connection.some(isEnough, `${COLUMNS} WHERE position > ? ORDER BY position`, after);
  }

  count(): number {
    return this.#connection.get<{ n: number }>('SELECT COUNT(*) AS n FROM acts')?.n ?? 0;
  }

  removeOldest(count: number): number {
    return this.#connection.run(
      'DELETE FROM acts WHERE position IN (SELECT position FROM acts ORDER BY position LIMIT ?)',
      count,
    );
  }

  clear(): void {
    this.#connection.run('DELETE FROM acts');
  }

  close(): void {
    this.#connection.close();
  }
}

export function storedAct({ told, ...row }: ActRow): StoredAct {
  const [call, detail] = JSON.parse(told) as [ActCall | null, ActDetail];
  return { ...row, call, detail };
}
