import type { Cancel, Clock } from '../clock/clock.ts';
import { invalid } from '../errors.ts';
import { type Wanted, wantsAll } from './journal-filter-store.ts';
import { type JournalRow, type JournalSize, JournalStore, type NewRow, rowSize } from './journal-store.ts';
import type { PromptTurn } from './redaction.ts';

/** One request, but for the bodies: what it was, who paid what for it. */
export interface JournalFacts {
  id: string;
  account_id: string | null;
  key_id: string | null;
  method: string;
  path: string;
  operation: string | null;
  /** 0: the connection was reset. */
  status: number;
  /** The emulator's time of arrival, in unix seconds. */
  created: number;
  /** The machine's, in milliseconds; and how many of them the answer took. */
  began: number;
  /** The emulator's in milliseconds, where that is another one. */
  received?: number | undefined;
  duration_ms: number;
  /** How often the client says that it has tried before. */
  retry_count: number;
  credits: number | null;
  /** Ids of the ledger entries by which it was charged, refunded or not. */
  charges: readonly string[];
  job_ids: readonly string[];
  /** The run of a flow that it started. */
  run_id?: string | undefined;
  /** The fault rule that struck it, and the scripted answer that it got. */
  fault?: string | undefined;
  fixture?: string | undefined;
  /** What `svc-emulator-warnings` and `svc-emulator-dropped` named. */
  warnings?: string | undefined;
  dropped?: string | undefined;
  /** After how many seconds it was asked to come again. */
  retry_after?: number | undefined;
  /** The connection was over before the answer was. */
  cut?: true | undefined;
  engine_prompt?: readonly PromptTurn[] | undefined;
}

/** What came and what went: redacted and bounded. */
export interface JournalBodies {
  request: string | null;
  answer: string | null;
}

export type JournalEntry = JournalFacts & JournalBodies;

/** Which of the journal, newest first; `after` is the id of the last one seen. */
export interface JournalPage {
  accountId?: string | undefined;
  limit: number;
  after?: string | undefined;
}

/** Is told of each request when its answer is out. */
export type JournalListener = (facts: JournalFacts, bodies: JournalBodies) => void;

/** Bounds: entries, and characters of all their records. */
const MOST_ENTRIES = 100_000;
const MOST_BYTES = 256 * 1_048_576;

/** How long an entry may wait to be written, in real milliseconds, and how many are written at once: few, so that nobody waits for them. */
const WRITE_AFTER = 50;
const MOST_WAITING = 64;

/** How many entries a search looks at before it lets others go on: fewer where it reads the bodies. */
const STRIDE = 2000;
const TEXT_STRIDE = 250;

/** Every request, written after its answer and bounded. */
export class Journal {
  readonly #clock: Clock;
  readonly #store: JournalStore;
  readonly #onError: (error: unknown) => void;
  readonly #listeners = new Set<JournalListener>();
  readonly #forgetting = new Set<(accountId: string | undefined) => void>();
  #waiting: NewRow[] = [];
  #timer: Cancel | undefined;
  #size: JournalSize;
  #volume = 0;
  #isClosed = false;

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
    for (const listener of this.#listeners) listener(facts, bodies);
    if (volume !== this.#volume) return;
    const { request, answer } = bodies;
    this.#waiting.push({ id, accountId, facts: JSON.stringify(facts), request, answer });
    if (this.#waiting.length >= MOST_WAITING) this.#write();
    else this.#timer ??= this.#clock.after(WRITE_AFTER, () => this.#write());
  }

  /** Newest first, of one account or of all. Throws `invalid_request` for an unknown `after`. */
  list({ accountId, limit, after }: JournalPage): JournalEntry[] {
    this.#write();
    return this.#store.list({ accountId, limit, before: this.#before(after) }).map(entryOf);
  }

  /** The same of those that are wanted. However far back they lie, nobody else waits for the search. */
  async search(page: JournalPage, wanted: Wanted): Promise<JournalEntry[]> {
    if (wantsAll(wanted)) return this.list(page);
    this.#write();
    const { accountId, limit } = page;
    const stride = wanted.text === undefined ? STRIDE : TEXT_STRIDE;
    const found: JournalRow[] = [];
    let before = this.#before(page.after);
    while (found.length < limit && !this.#isClosed) {
      const from = this.#store.floor({ accountId, before, limit: stride });
      if (from === undefined) break;
      const left = limit - found.length;
      found.push(...this.#store.search({ accountId, before, from, limit: left }, wanted));
      before = from;
      await new Promise((resolve) => setImmediate(resolve));
    }
    return found.map(entryOf);
  }

  /** Shows all there are of one account, or of all, to `visit`, newest first; nobody else waits for it. */
  async visit(accountId: string | undefined, visit: (entry: JournalEntry) => void): Promise<void> {
    this.#write();
    for (let before = Number.MAX_SAFE_INTEGER; !this.#isClosed; ) {
      const rows = this.#store.list({ accountId, before, limit: TEXT_STRIDE });
      for (const row of rows) visit(entryOf(row));
      const last = rows.at(-1);
      if (!last) return;
      before = last.position;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** One request, if it is on record. */
  find(id: string): JournalEntry | undefined {
    this.#write();
    const row = this.#store.find(id);
    return row && entryOf(row);
  }

  /** Forgets the requests of one account, or all. */
  clear(accountId?: string): void {
    this.#write();
    this.#store.delete(accountId);
    this.#size = this.#store.size();
    for (const listener of this.#forgetting) listener(accountId);
  }

  /** Begins a new volume: what came before is forgotten, that which is still being answered too. */
  renew(): void {
    this.#volume += 1;
    this.clear();
  }

  /** What was written after a place, oldest first: for whoever keeps an index of it. */
  writtenAfter(place: number, limit: number): (JournalEntry & { position: number })[] {
    this.#write();
    return this.#store.after(place, limit).map((row) => Object.assign(entryOf(row), { position: row.position }));
  }

  /** The first place that is still taken. */
  firstPlace(): number {
    return this.#store.first();
  }

  /** Is told whose requests were forgotten: those of an account, or all. */
  observeForgetting(listener: (accountId: string | undefined) => void): Cancel {
    this.#forgetting.add(listener);
    return () => this.#forgetting.delete(listener);
  }

  observe(listener: JournalListener): Cancel {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(): void {
    this.#write();
    this.#isClosed = true;
    this.#store.close();
  }

  #before(after: string | undefined): number {
    const before = after === undefined ? Number.MAX_SAFE_INTEGER : this.#store.position(after);
    if (before !== undefined) return before;
    throw invalid('after', `after must be the id of a request on record; "${after?.slice(0, 80)}" is none.`);
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

function entryOf({ facts, request, answer }: NewRow): JournalEntry {
  return Object.assign(JSON.parse(facts), { request, answer });
}
