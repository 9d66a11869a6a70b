import type { Cancel, Clock } from '../clock/clock.ts';
import { invalid } from '../errors.ts';
import { type Wanted, wantsAll } from './journal-filter-store.ts';
import { entryOn, type JournalEntry, type JournalFacts, type Noted, rowOf } from './journal-record.ts';
import {
  type JournalRow,
  type JournalSize,
  JournalStore,
  type JournalStretch,
  type NewRow,
  rowSize,
} from './journal-store.ts';
import { type Timeline, WHOLE } from './timeline.ts';

/** Which of the journal, newest first; `after` is the id of the last one seen. */
export interface JournalPage {
  accountId?: string | undefined;
  limit: number;
  after?: string | undefined;
}

/** A stretch of the journal up to its end, and how many requests were left out before it. */
export interface NewestRequests extends Omit<JournalStretch, 'newestFirst'> {
  leftOut: number;
}

/** Is told of each request when it is recorded: a moment after its answer is out. */
export type JournalListener = (facts: JournalFacts) => void;

/** Bounds: entries, and characters of all their records. */
const MOST_ENTRIES = 100_000;
const MOST_BYTES = 256 * 1_048_576;

/** How long a request may wait to be recorded, in real milliseconds, and how many are at once: few, so that nobody waits for them. */
const WRITE_AFTER = 50;
const MOST_WAITING = 128;

/** How many make room at once: more than are recorded at once, so that a journal which is too large comes to its size. */
const ROOM_AT_ONCE = 2 * MOST_WAITING;

/** How many entries a search looks at before it lets others go on: fewer where it reads the bodies. */
const STRIDE = 2000;
const TEXT_STRIDE = 250;

export interface JournalParts {
  clock: Clock;
  file: string;
  hasRoom(): boolean;
  onError(error: unknown): void;
}

/** Every request, written after its answer and bounded. */
export class Journal {
  readonly #clock: Clock;
  readonly #store: JournalStore;
  readonly #onError: (error: unknown) => void;
  readonly #hasRoom: () => boolean;
  readonly #listeners = new Set<JournalListener>();
  readonly #forgetting = new Set<(accountId: string | undefined) => void>();
  #timeline: Timeline = WHOLE;
  #waiting: Noted[] = [];
  #timer: Cancel | undefined;
  /** Counted when something is first written: a start does not wait for it. */
  #size: JournalSize | undefined;
  #volume = 0;
  #isClosed = false;

  /**
   * `onError` is told of entries that could not be kept, such as on a full disk; the service goes on without them. Without
   * room on the disk the oldest give way to the newest.
   */
  constructor(parts: JournalParts) {
    this.#clock = parts.clock;
    this.#hasRoom = parts.hasRoom;
    this.#onError = parts.onError;
    this.#store = new JournalStore(parts.file);
  }

  /** Another state is gone on with, which came to be in these stretches of time. */
  follow(timeline: Timeline): void {
    this.#timeline = timeline;
  }

  /** Which volume is being written. */
  get volume(): number {
    return this.#volume;
  }

  /** Keeps a request, unless the volume to which it belongs is gone. */
  note(noted: Noted): void {
    if (this.#isClosed) return;
    this.#waiting.push(noted);
    if (this.#waiting.length >= MOST_WAITING) this.settle();
    else this.#timer ??= this.#clock.after(WRITE_AFTER, () => this.settle());
  }

  /** Records what waits: whoever looks sees all that was answered. */
  settle(): void {
    this.#timer?.();
    this.#timer = undefined;
    const waiting = this.#waiting;
    this.#waiting = [];
    if (waiting.length === 0) return;
    const rows: NewRow[] = [];
    for (const noted of waiting) {
      const { facts, bodies } = noted.record();
      for (const listener of this.#listeners) listener(facts);
      if (noted.volume === this.#volume) rows.push(rowOf(facts, bodies));
    }
    this.#write(rows);
  }

  /** Newest first, of one account or of all. Throws `invalid_request` for an unknown `after`. */
  list({ accountId, limit, after }: JournalPage): JournalEntry[] {
    this.settle();
    return this.#store.list({ accountId, limit, before: this.#before(after) }).map((row) => this.#entry(row));
  }

  /** The same of those that are wanted. However far back they lie, nobody else waits for the search. */
  async search(page: JournalPage, wanted: Wanted): Promise<JournalEntry[]> {
    if (wantsAll(wanted)) return this.list(page);
    this.settle();
    const { accountId, limit } = page;
    const stride = wanted.text === undefined ? STRIDE : TEXT_STRIDE;
    const found: JournalRow[] = [];
    let before = this.#before(page.after);
    while (found.length < limit && !this.#isClosed) {
      const from = this.#store.floor({ accountId, before, limit: stride }, wanted.status);
      if (from === undefined) break;
      const left = limit - found.length;
      found.push(...this.#store.search({ accountId, before, from, limit: left }, wanted));
      before = from;
      await new Promise((resolve) => setImmediate(resolve));
    }
    return found.map((row) => this.#entry(row));
  }

  /**
   * Which are the newest of one account, or of all, that there is room for, in rows and bytes of their bodies: as the
   * places around them, with how many older ones there are. Nobody else waits for it.
   */
  async newest(accountId: string | undefined, room: JournalSize): Promise<NewestRequests> {
    this.settle();
    let [rows, bytes, after] = [0, 0, Number.MAX_SAFE_INTEGER];
    while (!this.#isClosed) {
      const sizes = this.#store.sizes({ accountId, before: after, limit: STRIDE });
      for (const each of sizes) {
        bytes += each.bytes;
        if (rows === room.rows || bytes > room.bytes) return this.#counted({ accountId, after: each.position, rows });
        rows += 1;
        after = each.position;
      }
      if (sizes.length < STRIDE) break;
      await new Promise((resolve) => setImmediate(resolve));
    }
    return this.#counted({ accountId, after: 0, rows });
  }

  /** The beginning of a stretch, as rows: nobody else waits long for what is done with them elsewhere. */
  piece(stretch: JournalStretch): JournalRow[] {
    return this.#isClosed ? [] : this.#store.piece(stretch);
  }

  /** Shows all there are of one account, or of all, to `visit`, newest first; nobody else waits for it. */
  async visit(accountId: string | undefined, visit: (entry: JournalEntry) => void): Promise<void> {
    this.settle();
    for (let before = Number.MAX_SAFE_INTEGER; !this.#isClosed; ) {
      const rows = this.#store.piece({ accountId, after: 0, before, newestFirst: true });
      for (const row of rows) visit(this.#entry(row));
      const last = rows.at(-1);
      if (!last) return;
      before = last.position;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** One request, if it is on record. */
  find(id: string): JournalEntry | undefined {
    this.settle();
    const row = this.#store.find(id);
    return row && this.#entry(row);
  }

  /** Whether a request is of a future that a restore has discarded. */
  isDiscarded(id: string): true | undefined {
    return this.#timeline === WHOLE ? undefined : this.find(id)?.discarded;
  }

  /** Forgets the requests of one account, or all. */
  clear(accountId?: string): void {
    this.settle();
    this.#store.delete(accountId);
    this.#size = undefined;
    for (const listener of this.#forgetting) listener(accountId);
  }

  /** Begins a new volume: what came before is forgotten, that which is still being answered too. */
  renew(): void {
    this.#volume += 1;
    this.clear();
  }

  /** What was written after a place, oldest first: for whoever keeps an index of it. */
  writtenAfter(place: number, limit: number): (JournalEntry & { position: number })[] {
    this.settle();
    return this.#store.after(place, limit).map((row) => Object.assign(this.#entry(row), { position: row.position }));
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

  /** Tells of what is answered from now on. */
  observe(listener: JournalListener): Cancel {
    this.settle();
    this.#listeners.add(listener);
    return () => {
      this.settle();
      this.#listeners.delete(listener);
    };
  }

  close(): void {
    this.settle();
    this.#isClosed = true;
    this.#store.close();
  }

  #entry(row: NewRow): JournalEntry {
    return entryOn(this.#timeline, row);
  }

  #counted({ accountId, after, rows }: { accountId: string | undefined; after: number; rows: number }): NewestRequests {
    const before = (this.#store.sizes({ before: Number.MAX_SAFE_INTEGER, limit: 1 })[0]?.position ?? 0) + 1;
    return { accountId, after, before, leftOut: Math.max(0, this.#store.count(accountId) - rows) };
  }

  #before(after: string | undefined): number {
    const before = after === undefined ? Number.MAX_SAFE_INTEGER : this.#store.position(after);
    if (before !== undefined) return before;
    throw invalid('after', `after must be the id of a request on record; "${after?.slice(0, 80)}" is none.`);
  }

  #write(rows: readonly NewRow[]): void {
    if (rows.length === 0) return;
    try {
      if (!this.#hasRoom()) this.#giveWay(rows.length);
      this.#store.insertAll(rows);
      const size = this.#grownBy(rows);
      if (size.rows > MOST_ENTRIES || size.bytes > MOST_BYTES) this.#makeRoom(size);
    } catch (error) {
      this.#onError(error);
    }
  }

  /** Of rows that are written already. */
  #grownBy(rows: readonly NewRow[]): JournalSize {
    if (!this.#size) {
      this.#size = this.#store.size();
      return this.#size;
    }
    this.#size.rows += rows.length;
    for (const row of rows) this.#size.bytes += rowSize(row);
    return this.#size;
  }

  /** What is removed leaves its pages to what is written next. */
  #giveWay(count: number): void {
    this.#store.removeOldest(count);
    this.#size = undefined;
  }

  #makeRoom(size: JournalSize): void {
    const removed = this.#store.removeOldest(ROOM_AT_ONCE);
    size.rows -= removed.rows;
    size.bytes -= removed.bytes;
  }
}
