import type { Clock } from '../../base/clock/clock.ts';
import type { ClockMark } from '../../base/clock/clock-marks.ts';
import type { Connection } from '../../base/database/connection.ts';
import { type LogTable, WriteBehind } from '../../base/database/write-behind.ts';
import { type AuditEntry, AuditReader } from './audit-reader-store.ts';
import { redact, redactPath } from './redaction.ts';

export type NewAuditEntry = Pick<AuditEntry, 'kind'> &
  Partial<Pick<AuditEntry, 'accountId' | 'call' | 'ref' | 'detail'>>;

/** A write to the control surface, recorded when its connection ends. */
export interface ControlCall {
  method: string;
  url: string;
  status: number;
  cut: boolean;
  body: Buffer | undefined;
  answer: string | undefined;
  /** The account named by the body, and the id of the returned record. */
  accountId: string | undefined;
  ref: string | undefined;
}

const MOST_ENTRIES = 100_000;
const BATCH = 256;

/** Characters kept of a response, and bytes kept of a body. */
const KEPT = 4096;

/** Resources whose POST changes nothing. */
const READ_ONLY_POSTS = new Set(['price', 'session', 'verify', 'mcp', 'renders', 'inbox', 'units', 'notes']);

export interface AuditLogParts {
  clock: Clock;
  connection: Connection;
  onError(error: unknown): void;
}

/**
 * What no other list records: writes of the control surface, deletions, changes of the clock, reads of files and jobs.
 * Bounded, and written after the responses.
 */
export class AuditLog extends AuditReader {
  readonly #clock: Clock;
  readonly #connection: Connection;
  readonly #writer: WriteBehind<AuditEntry, AuditEntry>;

  constructor({ clock, connection, onError }: AuditLogParts) {
    super(connection);
    this.#clock = clock;
    this.#connection = connection;
    this.#writer = new WriteBehind({
      clock,
      onError,
      table: auditTable(connection),
      batch: BATCH,
      bounds: { rows: MOST_ENTRIES, bytes: 0 },
      rowsOf: (entries: readonly AuditEntry[]) => [...entries],
      sizeOf: () => 0,
    });
  }

  note({ kind, accountId = null, call = null, ref = null, detail = {} }: NewAuditEntry): void {
    this.#writer.add({ kind, at: this.#clock.real(), now: this.#clock.now(), accountId, call, ref, detail });
  }

  /** Returns the times of both clocks, in milliseconds. */
  annotated(text: string, accountId: string | null): { at: number; now: number } {
    const [at, now] = [this.#clock.real(), this.#clock.now()];
    this.#writer.add({ kind: 'note', at, now, accountId, call: null, ref: null, detail: { text } });
    return { at, now };
  }

  deleted(ref: string, was: object, accountId: string | null = null): void {
    this.note({ kind: 'deletion', ref, accountId, detail: { was: { ...was } } });
  }

  clockMoved(before: ClockMark, mark: ClockMark): void {
    const expected = before.runs ? before.now + (mark.real - before.real) : before.now;
    this.note({ kind: 'clock', detail: { moved: mark.now - expected, runs: mark.runs } });
  }

  /** A rejected call changed nothing and is not recorded. */
  controlCalled({ method, url, status, cut, body, answer, accountId, ref }: ControlCall): void {
    const [path = ''] = url.split('?');
    const [, , resource = '', second = ''] = path.split('/');
    if (status >= 400 || (method !== 'DELETE' && READ_ONLY_POSTS.has(resource))) return;
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

  clear(): void {
    this.#writer.flush();
    this.#connection.run('DELETE FROM audit');
    this.#writer.recount();
  }

  close(): void {
    this.#writer.close();
    this.isClosed = true;
  }

  protected override flush(): void {
    this.#writer.flush();
  }
}

function kept(text: string, length: number): string {
  return redact(text) + (length > KEPT ? `… [cut: ${length} in all]` : '');
}

/** Entries are small, so only their number is bounded. */
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
