import type { Clock } from '../../base/clock/clock.ts';
import type { ClockSyncPoint } from '../../base/clock/virtual-clock.ts';
import type { Connection } from '../../base/database/connection.ts';
import { conditionsWithValues } from '../../base/database/list-queries.ts';
import { json, type RowOf, real, rowId, table, text } from '../../base/database/table.ts';
import { type LogTable, WriteBehind } from '../../base/database/write-behind.ts';
import { redact, redactPath } from './redaction.ts';

export const AUDIT_KINDS = ['write', 'deletion', 'clock', 'read', 'poll', 'note'] as const;
type AuditKind = (typeof AUDIT_KINDS)[number];

/** `status` is 0 if the connection was reset. */
export interface AuditCall {
  method: string;
  path: string;
  status: number;
  /** True if the connection ended before the response did. */
  cut: boolean;
}

export interface AuditDetail {
  request?: string | null;
  answer?: string | null;
  was?: Record<string, unknown>;
  /** How far the clock was moved, in milliseconds, and whether it runs afterwards. */
  moved?: number;
  runs?: boolean;
  seen?: string;
  request_id?: string;
  /** The file that was read. Files with equal bytes have the same `etag`. */
  file?: { content_type: string; bytes: number; etag: string };
  text?: string;
}

export const auditRows = table('audit', {
  position: rowId,
  kind: text.of<AuditKind>(),
  /** `at` is the machine's time and `now` the emulator's, in milliseconds. */
  at: real,
  now: real,
  accountId: text.nullable(),
  call: json<AuditCall>().nullable(),
  ref: text.nullable(),
  detail: json<AuditDetail>(),
});

export type StoredAuditEntry = RowOf<typeof auditRows>;
type AuditEntry = Omit<StoredAuditEntry, 'position'>;

interface AuditPage {
  before: number;
  limit: number;
  accountId?: string | undefined;
  kind?: AuditKind | undefined;
  ref?: string | undefined;
  /** The earliest time, in milliseconds of the machine's clock. */
  since?: number | undefined;
}

export const AUDIT_TABLE_SQL = `
  CREATE TABLE IF NOT EXISTS audit (
    position INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, at REAL NOT NULL, now REAL NOT NULL,
    account_id TEXT, call TEXT, ref TEXT, detail TEXT NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS audit_of_account ON audit (account_id, position);
  CREATE INDEX IF NOT EXISTS audit_by_kind ON audit (kind, position);`;

type NewAuditEntry = Pick<AuditEntry, 'kind'> & Partial<Pick<AuditEntry, 'accountId' | 'call' | 'ref' | 'detail'>>;

interface ControlCall {
  method: string;
  url: string;
  status: number;
  cut: boolean;
  body: Buffer | undefined;
  answer: string | undefined;
  accountId: string | undefined;
  ref: string | undefined;
}

const MAX_ENTRIES = 100_000;
const BATCH = 256;

/** The most characters of a response, and bytes of a request body, that an entry contains. */
const KEPT = 4096;

/**
 * Control operations of these resources are not recorded, except deletions. They change no state, or other lists record
 * them.
 */
const UNRECORDED_RESOURCES = new Set(['session', 'verify', 'mcp', 'inbox', 'tests', 'notes']);

interface AuditLogParts {
  clock: Clock;
  connection: Connection;
  onError(error: unknown): void;
}

/**
 * The audit log contains writes of control operations, deletions, changes of the clock, reads of files, polls of jobs
 * (which are in the journal too) and notes. The number of entries is limited.
 */
export class AuditLog {
  readonly #clock: Clock;
  readonly #connection: Connection;
  readonly #writer: WriteBehind<AuditEntry, AuditEntry>;

  constructor({ clock, connection, onError }: AuditLogParts) {
    this.#clock = clock;
    this.#connection = connection;
    this.#writer = new WriteBehind({
      clock,
      onError,
      table: auditTable(connection),
      batch: BATCH,
      bounds: { rows: MAX_ENTRIES, bytes: 0 },
      rowsOf: (entries: readonly AuditEntry[]) => [...entries],
      sizeOf: () => 0,
    });
  }

  note({ kind, accountId = null, call = null, ref = null, detail = {} }: NewAuditEntry): { at: number; now: number } {
    const [at, now] = [this.#clock.real(), this.#clock.now()];
    this.#writer.add({ kind, at, now, accountId, call, ref, detail });
    return { at, now };
  }

  annotated(text: string, accountId: string | null): { at: number; now: number } {
    return this.note({ kind: 'note', accountId, detail: { text } });
  }

  deleted(ref: string, was: object, accountId: string | null = null): void {
    this.note({ kind: 'deletion', ref, accountId, detail: { was: { ...was } } });
  }

  clockMoved(before: ClockSyncPoint, mark: ClockSyncPoint): void {
    const expected = before.runs ? before.now + (mark.real - before.real) : before.now;
    this.note({ kind: 'clock', detail: { moved: mark.now - expected, runs: mark.runs } });
  }

  /**
   * Records a control operation that was not rejected. Records only deletions of the resources in
   * `UNRECORDED_RESOURCES`. It is not called for reads.
   */
  controlCalled({ method, url, status, cut, body, answer, accountId, ref }: ControlCall): void {
    const [path = ''] = url.split('?');
    const [, , resource = '', second = ''] = path.split('/');
    if (status >= 400 || (method !== 'DELETE' && UNRECORDED_RESOURCES.has(resource))) return;
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

  flush(): void {
    this.#writer.flush();
  }

  recount(): void {
    this.#writer.recount();
  }

  clear(): void {
    this.#writer.flush();
    this.#connection.run('DELETE FROM audit');
    this.#writer.recount();
  }

  close(): void {
    this.#writer.close();
  }

  list({ before, limit, accountId, kind, ref, since }: AuditPage): StoredAuditEntry[] {
    this.#writer.flush();
    const [given, values] = conditionsWithValues(
      ['account_id = ?', accountId],
      ['kind = ?', kind],
      ['ref = ?', ref],
      ['at >= ?', since],
    );
    const sql = `${auditRows.select} WHERE ${given}position < ? ORDER BY position DESC LIMIT ?`;
    return auditRows.all(this.#connection, sql, ...values, before, limit);
  }
}

function kept(text: string, length: number): string {
  return redact(text) + (length > KEPT ? `… [cut: ${length} in all]` : '');
}

/** Only the number of entries is limited, because each entry is small. */
function auditTable(connection: Connection): LogTable<AuditEntry> {
  const oldest = 'SELECT position FROM audit ORDER BY position LIMIT ?';
  return {
    insertAll: (entries) => connection.atomically(() => auditRows.insertAll(connection, entries)),
    size: () => ({ rows: connection.get<{ n: number }>('SELECT COUNT(*) AS n FROM audit')?.n ?? 0, bytes: 0 }),
    removeOldest: (count) => ({
      rows: connection.run(`DELETE FROM audit WHERE position IN (${oldest})`, count),
      bytes: 0,
    }),
  };
}
