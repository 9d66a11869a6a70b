import type { Clock } from '../../base/clock/clock.ts';
import type { ClockMark } from '../../base/clock/clock-marks.ts';
import { type Connection, enough } from '../../base/database/connection.ts';
import type { SqlValue } from '../../base/database/transaction.ts';
import { type LogTable, type Reserve, WriteBehind } from '../../base/database/write-behind.ts';
import { redact, redactPath } from './redaction.ts';

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

/** What is given of an entry: the log stamps it by both clocks. */
export type NewAuditEntry = Pick<AuditEntry, 'kind'> &
  Partial<Pick<AuditEntry, 'accountId' | 'call' | 'ref' | 'detail'>>;

/** A call that changed something of the control surface, as its connection ended. */
export interface ControlCall {
  method: string;
  url: string;
  status: number;
  cut: boolean;
  body: Buffer | undefined;
  answer: string | undefined;
  /** The account that its body names, and the id of the record that it answered. */
  accountId: string | undefined;
  ref: string | undefined;
}

const MOST_ENTRIES = 100_000;
const BATCH = 256;

/** Characters that are kept of an answer, and bytes of a body. */
const KEPT = 4096;

/** Resources whose calls only ask, and those that take what others deliver. */
const ASKING = new Set(['price', 'session', 'verify', 'mcp', 'renders', 'inbox', 'units', 'notes']);

export interface AuditLogParts {
  clock: Clock;
  /** Of the journal's file. */
  connection: Connection;
  reserve: Reserve;
  onError(error: unknown): void;
}

/**
 * What was done to the emulator and read from it that no other list keeps: writes of the control surface, deletions, moves
 * of the clock, reads of files and of jobs. Append-only, bounded, and written after the answers.
 */
export class AuditLog {
  readonly #clock: Clock;
  readonly #connection: Connection;
  readonly #writer: WriteBehind<AuditEntry, AuditEntry>;

  constructor({ clock, connection, reserve, onError }: AuditLogParts) {
    this.#clock = clock;
    this.#connection = connection;
    this.#writer = new WriteBehind({
      clock,
      reserve,
      onError,
      table: auditTable(connection),
      batch: BATCH,
      bounds: { rows: MOST_ENTRIES, bytes: 0 },
      rowsOf: (entries: readonly AuditEntry[]) => [...entries],
      sizeOf: () => 0,
    });
  }

  /** Records an entry as of now. */
  note({ kind, accountId = null, call = null, ref = null, detail = {} }: NewAuditEntry): void {
    this.#writer.add({ kind, at: this.#clock.real(), now: this.#clock.now(), accountId, call, ref, detail });
  }

  /** Puts a text on record; answers both clocks' times, in milliseconds. */
  annotated(text: string, accountId: string | null): { at: number; now: number } {
    const [at, now] = [this.#clock.real(), this.#clock.now()];
    this.#writer.add({ kind: 'note', at, now, accountId, call: null, ref: null, detail: { text } });
    return { at, now };
  }

  /** Records a deletion with what was deleted. */
  deleted(ref: string, was: object, accountId: string | null = null): void {
    this.note({ kind: 'deletion', ref, accountId, detail: { was: { ...was } } });
  }

  /** Records that the clock moved from one mark to another. */
  clockMoved(before: ClockMark, mark: ClockMark): void {
    const expected = before.runs ? before.now + (mark.real - before.real) : before.now;
    this.note({ kind: 'clock', detail: { moved: mark.now - expected, runs: mark.runs } });
  }

  /** Records a call that changed something; a refused call changed nothing. */
  controlCalled({ method, url, status, cut, body, answer, accountId, ref }: ControlCall): void {
    const [path = ''] = url.split('?');
    const [, , resource = '', second = ''] = path.split('/');
    if (status >= 400 || (method !== 'DELETE' && ASKING.has(resource))) return;
    const request = body ? kept(body.toString('utf8', 0, KEPT), body.length) : null;
    const answered = answer === undefined ? null : kept(answer.slice(0, KEPT), answer.length);
    const asked = new URLSearchParams(url.slice(path.length + 1)).get('account_id');
    const named = resource === 'accounts' && second.startsWith('acct_') ? second : undefined;
    this.note({
      kind: 'write',
      accountId: asked ?? named ?? accountId ?? null,
      call: { method, path: redactPath(path), status, cut },
      ref: second.includes('_') ? second : (ref ?? null),
      detail: { request, answer: answered },
    });
  }

  /** Newest first. */
  list({ before, limit, accountId, kind, ref, since }: AuditPage): StoredAuditEntry[] {
    this.#writer.flush();
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
    this.#writer.flush();
    const sql = 'SELECT position FROM audit ORDER BY position DESC LIMIT 1 OFFSET ?';
    return this.#connection.get<{ position: number }>(sql, count)?.position ?? 0;
  }

  /** The first rows after a position, oldest first, as many as are read at once. */
  piece(after: number): AuditRow[] {
    if (this.#writer.isClosed) return [];
    const isEnough = enough<AuditRow>(PIECE, ({ data }) => data.length);
    return this.#connection.some(isEnough, `${COLUMNS} WHERE position > ? ORDER BY position`, after);
  }

  /** Forgets all entries. */
  clear(): void {
    this.#writer.flush();
    this.#connection.run('DELETE FROM audit');
    this.#writer.recount();
  }

  close(): void {
    this.#writer.close();
  }
}

function kept(text: string, length: number): string {
  return redact(text) + (length > KEPT ? `… [cut: ${length} in all]` : '');
}

/** Entries are small: only their number is bounded. */
function auditTable(connection: Connection): LogTable<AuditEntry> {
  const insert = 'INSERT INTO audit (kind, at, now, account_id, ref, data) VALUES (?, ?, ?, ?, ?, ?)';
  const oldest = 'SELECT position FROM audit ORDER BY position LIMIT ?';
  return {
    insertAll: (entries) =>
      connection.atomically(() => {
        for (const { kind, at, now, accountId, ref, call, detail } of entries)
          connection.run(insert, kind, at, now, accountId, ref, JSON.stringify([call, detail]));
      }),
    size: () => ({ rows: connection.get<{ n: number }>('SELECT COUNT(*) AS n FROM audit')?.n ?? 0, bytes: 0 }),
    removeOldest: (count) => ({
      rows: connection.run(`DELETE FROM audit WHERE position IN (${oldest})`, count),
      bytes: 0,
    }),
  };
}

export function auditEntryOf({ data, ...row }: AuditRow): StoredAuditEntry {
  const [call, detail] = JSON.parse(data) as [AuditCall | null, AuditDetail];
  return { ...row, call, detail };
}
