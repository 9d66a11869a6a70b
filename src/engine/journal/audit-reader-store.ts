import { type Connection, enough } from '../../base/database/connection.ts';
import type { SqlValue } from '../../base/database/transaction.ts';

/** What is recorded beside requests, ledger, jobs and events. */
export const AUDIT_KINDS = ['write', 'deletion', 'clock', 'read', 'poll', 'note'] as const;
export type AuditKind = (typeof AUDIT_KINDS)[number];

/** The call that caused an entry; of a connection that was reset the status is 0. */
export interface AuditCall {
  method: string;
  /** Without its query. */
  path: string;
  status: number;
  /** The connection ended before the answer did. */
  cut: boolean;
}

/** What an entry holds by its kind. */
export interface AuditDetail {
  /** Of a write: body and answer as they are kept, redacted and bounded. */
  request?: string | null;
  answer?: string | null;
  /** Of a deletion: what was deleted. */
  was?: Record<string, unknown>;
  /** Of the clock: how far it was moved, in milliseconds, and whether it runs from now on. */
  moved?: number;
  runs?: boolean;
  /** Of a poll: the state of the job in its answer, and the request. */
  seen?: string;
  request_id?: string;
  /** Of a read: the bytes that were served. Equal ones have the same `etag`. */
  file?: { content_type: string; bytes: number; etag: string };
  /** Of a note. */
  text?: string;
}

/** Something that was done to the emulator or read from it. */
export interface AuditEntry {
  kind: AuditKind;
  /** Milliseconds of the machine's clock, and of the emulator's. */
  at: number;
  now: number;
  accountId: string | null;
  call: AuditCall | null;
  /** The id of what it is about, where it has one. */
  ref: string | null;
  detail: AuditDetail;
}

export interface StoredAuditEntry extends AuditEntry {
  /** Later entries have a higher one. */
  position: number;
}

/** Selects entries, newest first: those before a position. */
export interface AuditPage {
  before: number;
  limit: number;
  accountId?: string | undefined;
  kind?: AuditKind | undefined;
  ref?: string | undefined;
  /** Milliseconds of the machine's clock: entries of then or later. */
  since?: number | undefined;
}

/** An entry as it is stored; `data` is JSON of call and detail. */
export interface AuditRow {
  position: number;
  kind: AuditKind;
  at: number;
  now: number;
  accountId: string | null;
  ref: string | null;
  data: string;
}

export const AUDIT_SCHEMA = `
  CREATE TABLE IF NOT EXISTS audit (
    position INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, at REAL NOT NULL, now REAL NOT NULL,
    account_id TEXT, ref TEXT, data TEXT NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS audit_of_account ON audit (account_id, position);
  CREATE INDEX IF NOT EXISTS audit_by_kind ON audit (kind, position);`;

const COLUMNS = 'SELECT position, kind, at, now, account_id AS accountId, ref, data FROM audit';

/** Characters of the rows that are read at once, but for the last of them. */
const PIECE = 131_072;

/** Reads what was done to the emulator. */
export abstract class AuditReader {
  readonly #connection: Connection;
  protected isClosed = false;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Writes what is noted: a reader sees all that there is. */
  protected abstract flush(): void;

  /** Newest first. */
  list({ before, limit, accountId, kind, ref, since }: AuditPage): StoredAuditEntry[] {
    this.flush();
    const conditions: [string, SqlValue | undefined][] = [
      ['account_id = ?', accountId],
      ['kind = ?', kind],
      ['ref = ?', ref],
      ['at >= ?', since],
    ];
    const given = conditions.flatMap(([text, value]) => (value === undefined ? [] : [{ text, value }]));
    const where = ['position < ?', ...given.map(({ text }) => text)].join(' AND ');
    const values = given.map(({ value }) => value);
    const sql = `${COLUMNS} WHERE ${where} ORDER BY position DESC LIMIT ?`;
    return this.#connection.all<AuditRow>(sql, before, ...values, limit).map(auditEntryOf);
  }

  /** The position before the newest `count` entries; 0 where there are no more than these. */
  positionBefore(count: number): number {
    this.flush();
    const sql = 'SELECT position FROM audit ORDER BY position DESC LIMIT 1 OFFSET ?';
    return this.#connection.get<{ position: number }>(sql, count)?.position ?? 0;
  }

  /** The first rows after a position, oldest first, as many as are read at once. */
  piece(after: number): AuditRow[] {
    if (this.isClosed) return [];
    const isEnough = enough<AuditRow>(PIECE, ({ data }) => data.length);
    return this.#connection.some(isEnough, `${COLUMNS} WHERE position > ? ORDER BY position`, after);
  }
}

export function auditEntryOf({ data, ...row }: AuditRow): StoredAuditEntry {
  const [call, detail] = JSON.parse(data) as [AuditCall | null, AuditDetail];
  return { ...row, call, detail };
}
