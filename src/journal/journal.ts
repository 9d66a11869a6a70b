import type { Cancel, Clock } from '../clock/clock.ts';
import { invalid } from '../errors.ts';
import { type JournalSize, JournalStore, type NewRow, rowSize } from './journal-store.ts';
import type { PromptTurn } from './redaction.ts';

/** One request under /v1, but for the bodies: what it was, who paid what for it. */
export interface JournalFacts {
  id: string;
  account_id: string | null;
  key_id: string | null;
  method: string;
  path: string;
  operation: string | null;
  status: number;
  /** The emulator's time of arrival, unix seconds; how long it took, in real milliseconds. */
  created: number;
  duration_ms: number;
  /** How often the client says that it has tried before. */
  retry_count: number;
  credits: number | null;
  job_ids: string[];
  engine_prompt?: readonly PromptTurn[] | undefined;
}

/** What came and what went: redacted and bounded. */
export interface JournalBodies {
  request: string | null;
  answer: string | null;
}

export type JournalEntry = JournalFacts & JournalBodies;

/** Is told of each request when its answer is out. */
export type JournalListener = (facts: JournalFacts, bodies: JournalBodies) => void;

/** Bounds: entries, and characters of all their records. */
const MOST_ENTRIES = 100_000;
const MOST_BYTES = 256 * 1_048_576;

/** How long an entry may wait to be written, in real milliseconds, and how many are written at once: few, so that nobody waits for them. */
const WRITE_AFTER = 50;
const MOST_WAITING = 64;

/** Every request under /v1, written after its answer and bounded. */
export class Journal {
  readonly #clock: Clock;
  readonly #store: JournalStore;
  readonly #onError: (error: unknown) => void;
  readonly #listeners = new Set<JournalListener>();
  #waiting: NewRow[] = [];
  #timer: Cancel | undefined;
  #size: JournalSize;
  #volume = 0;

  /** `onError` is told of entries that could not be kept, such as on a full disk; the service goes on without them. */
  constructor(parts: { clock: Clock; file: string; onError: (error: unknown) => void }) {
    this.#clock = parts.clock;
    this.#onError = parts.onError;
    this.#store = new JournalStore(parts.file);
    this.#size = this.#store.size();
  }

  /** Which volume is being written. */
  get volume(): number {
    return this.#volume;
  }

  /** Keeps a request, unless the volume to which it belongs is gone. */
  record(facts: JournalFacts, bodies: JournalBodies, volume = this.#volume): void {
    const { id, account_id: accountId } = facts;
    const { request, answer } = bodies;
    for (const listener of this.#listeners) listener(facts, bodies);
    if (volume !== this.#volume) return;
    this.#waiting.push({ id, accountId, facts: JSON.stringify(facts), request, answer });
    if (this.#waiting.length >= MOST_WAITING) this.#write();
    else this.#timer ??= this.#clock.after(WRITE_AFTER, () => this.#write());
  }

  /** Newest first, of one account or of all. Throws `invalid_request` for an unknown `after`. */
  list(page: {
    accountId?: string | undefined;
    limit: number;
    after?: string | undefined;
  }): JournalEntry[] {
    this.#write();
    const { accountId, limit, after } = page;
    const before = after === undefined ? Number.MAX_SAFE_INTEGER : this.#store.position(after);
    if (before === undefined)
      throw invalid('after', `after must be the id of a request; "${after}" is none.`);
    return this.#store
      .list({ accountId, limit, before })
      .map(({ facts, request, answer }) => ({ ...JSON.parse(facts), request, answer }));
  }

  /** Forgets the requests of one account, or all. */
  clear(accountId?: string): void {
    this.#write();
    this.#store.delete(accountId);
    this.#size = this.#store.size();
  }

  /** Begins a new volume: what came before is forgotten, that which is still being answered too. */
  renew(): void {
    this.#volume += 1;
    this.clear();
  }

  observe(listener: JournalListener): Cancel {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(): void {
    this.#write();
    this.#store.close();
  }

  #write(): void {
    this.#timer?.();
    this.#timer = undefined;
    const rows = this.#waiting;
    this.#waiting = [];
    if (rows.length === 0) return;
    try {
      this.#store.insertAll(rows);
      this.#size.rows += rows.length;
      this.#size.bytes += rows.reduce((sum, row) => sum + rowSize(row), 0);
      while (this.#size.rows > MOST_ENTRIES || this.#size.bytes > MOST_BYTES) this.#makeRoom();
    } catch (error) {
      this.#onError(error);
    }
  }

  /** A few at a time, so that nobody waits for it. */
  #makeRoom(): void {
    const removed = this.#store.removeOldest(MOST_WAITING);
    this.#size.rows -= removed.rows;
    this.#size.bytes -= removed.bytes;
  }
}
