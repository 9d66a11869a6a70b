import type { Clock } from '../clock/clock.ts';
import type { ClockMark } from '../clock/clock-marks.ts';
import type { Connection } from '../database/connection.ts';
import { WriteBehind } from '../database/write-behind.ts';
import { type AuditEntry, type AuditPage, type AuditRow, AuditStore, type StoredAuditEntry } from './audit-store.ts';
import { redact, redactPath } from './redaction.ts';

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
}

const MOST_ENTRIES = 100_000;
const BATCH = 256;

/** Characters that are kept of an answer, and bytes of a body. */
const KEPT = 4096;

/** Resources whose calls only ask, and those that take what others deliver. */
const ASKING = new Set(['price', 'session', 'verify', 'mcp', 'renders', 'inbox', 'units', 'notes']);

const ACCOUNT = /"account_id"\s*:\s*"(acct_[0-9a-f]{1,64})"/;
const ID = /"id"\s*:\s*"([a-z]{2,8}_[0-9A-Za-z]{1,64})"/;

export interface AuditLogParts {
  clock: Clock;
  /** Of the journal's file. */
  connection: Connection;
  hasRoom(): boolean;
  onError(error: unknown): void;
}

/**
 * What was done to the emulator and read from it that no other list keeps: writes of the control surface, deletions, moves
 * of the clock, reads of files and of jobs. Append-only, bounded, and written after the answers.
 */
export class AuditLog {
  readonly #clock: Clock;
  readonly #store: AuditStore;
  readonly #writer: WriteBehind<AuditEntry, AuditEntry>;

  constructor({ clock, connection, hasRoom, onError }: AuditLogParts) {
    this.#clock = clock;
    this.#store = new AuditStore(connection);
    this.#writer = new WriteBehind({
      ...{ clock, hasRoom, onError },
      table: this.#store,
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
  controlCalled({ method, url, status, cut, body, answer }: ControlCall): void {
    const [path = ''] = url.split('?');
    const [, , resource = '', second = ''] = path.split('/');
    if (status >= 400 || (method !== 'DELETE' && ASKING.has(resource))) return;
    const request = body ? kept(body.toString('utf8', 0, KEPT), body.length) : null;
    const answered = answer === undefined ? null : kept(answer.slice(0, KEPT), answer.length);
    const asked = new URLSearchParams(url.slice(path.length + 1)).get('account_id');
    const named = resource === 'accounts' && second.startsWith('acct_') ? second : undefined;
    this.note({
      kind: 'write',
      accountId: asked ?? named ?? ACCOUNT.exec(request ?? '')?.[1] ?? null,
      call: { method, path: redactPath(path), status, cut },
      ref: second.includes('_') ? second : (ID.exec(answered ?? '')?.[1] ?? null),
      detail: { request, answer: answered },
    });
  }

  /** Newest first. */
  list(page: AuditPage): StoredAuditEntry[] {
    this.#writer.flush();
    return this.#store.list(page);
  }

  /** The position before the newest `count` entries; 0 where there are no more than these. */
  positionBefore(count: number): number {
    this.#writer.flush();
    return this.#store.positionBefore(count);
  }

  /** The first rows after a position, oldest first, as many as are read at once. */
  piece(after: number): AuditRow[] {
    return this.#writer.isClosed ? [] : this.#store.piece(after);
  }

  /** Forgets all entries. */
  clear(): void {
    this.#writer.flush();
    this.#store.clear();
    this.#writer.recount();
  }

  close(): void {
    this.#writer.close();
  }
}

function kept(text: string, length: number): string {
  return redact(text) + (length > KEPT ? `… [cut: ${length} in all]` : '');
}
