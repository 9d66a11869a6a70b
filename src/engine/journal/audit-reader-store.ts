import { type Connection, enough } from '../../base/database/connection.ts';
import type { SqlValue } from '../../base/database/transaction.ts';

export const AUDIT_KINDS = ['write', 'deletion', 'clock', 'read', 'poll', 'note'] as const;
export type AuditKind = (typeof AUDIT_KINDS)[number];

/** `status` is 0 if the connection was reset. */
export interface AuditCall {
  method: string;
  path: string;
  status: number;
  /** The connection ended before the response did. */
  cut: boolean;
}

export interface AuditDetail {
  request?: string | null;
  answer?: string | null;
  /** What was deleted. */
  was?: Record<string, unknown>;
  /** How far the clock was moved, in milliseconds, and whether it runs afterwards. */
  moved?: number;
  runs?: boolean;
  /** The state of the job in the response to a poll. */
  seen?: string;
  request_id?: string;
  /** The bytes that were served. Equal bytes have the same `etag`. */
  file?: { content_type: string; bytes: number; etag: string };
  text?: string;
}

export interface AuditEntry {
  kind: AuditKind;
  /** Milliseconds of the machine's clock, and of the emulator's. */
  at: number;
  now: number;
  accountId: string | null;
  call: AuditCall | null;
  ref: string | null;
  detail: AuditDetail;
}

export interface StoredAuditEntry extends AuditEntry {
  /** Later entries have a higher position. */
  position: number;
}

export interface AuditPage {
  before: number;
  limit: number;
  accountId?: string | undefined;
  kind?: AuditKind | undefined;
  ref?: string | undefined;
  /** Milliseconds of the machine's clock, included. */
  since?: number | undefined;
}

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

/** How many characters of rows are read at once. */
const PIECE = 131_072;

export abstract class AuditReader {
  readonly #connection: Connection;
  protected isClosed = false;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

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

  /** 0 if there are no more than `count` entries. */
  positionBefore(count: number): number {
    this.flush();
    const sql = 'SELECT position FROM audit ORDER BY position DESC LIMIT 1 OFFSET ?';
    return this.#connection.get<{ position: number }>(sql, count)?.position ?? 0;
  }

  /** Oldest first, as many as are read at once. */
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
