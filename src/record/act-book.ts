import type { Cancel, Clock } from '../clock/clock.ts';
import type { ClockMark } from '../clock/clock-marks.ts';
import type { Act, StoredAct } from './act.ts';
import { type ActPage, type ActRow, ActStore } from './act-store.ts';

/** What is noted of an act: the record stamps it by both clocks. */
export type Noted = Pick<Act, 'kind'> & Partial<Pick<Act, 'accountId' | 'call' | 'ref' | 'detail'>>;

/** How many are kept, and how many make room at once. */
const MOST = 100_000;
const ROOM_AT_ONCE = 1000;

/** How long an act may wait to be written, in real milliseconds, and how many are at once. */
const WRITE_AFTER = 50;
const MOST_WAITING = 256;

export interface ActBookParts {
  clock: Clock;
  file: string;
  /** Is told of what could not be kept, such as on a full disk; the service goes on without it. */
  onError(error: unknown): void;
}

/**
 * What was done to the emulator, and read from it, that no other list keeps: writes of the control surface, what was
 * deleted, moves of the clock, reads of files and of jobs. Only added to, written after the answers, bounded. Its file
 * is opened when something is first written down or looked for.
 */
export class ActBook {
  readonly #parts: ActBookParts;
  #store: ActStore | undefined;
  #kept = 0;
  #waiting: Act[] = [];
  #timer: Cancel | undefined;
  #isClosed = false;

  constructor(parts: ActBookParts) {
    this.#parts = parts;
  }

  /** Writes something down as of now. */
  note({ kind, accountId = null, call = null, ref = null, detail = {} }: Noted): void {
    if (this.#isClosed) return;
    const { clock } = this.#parts;
    this.#waiting.push({ kind, at: clock.real(), now: clock.now(), accountId, call, ref, detail });
    if (this.#waiting.length >= MOST_WAITING) this.settle();
    else if (!this.#timer) {
      const settle = () => this.settle();
      // A reset clears the clock: what waits is written then.
      this.#timer = clock.after(WRITE_AFTER, settle, settle);
    }
  }

  /** Something was deleted: what stood there stays on record. */
  deleted(ref: string, was: object, accountId: string | null = null): void {
    this.note({ kind: 'deletion', ref, accountId, detail: { was: { ...was } } });
  }

  /** The clock came from one mark to another. */
  clockMoved(before: ClockMark, mark: ClockMark): void {
    const stood = before.runs ? before.now + (mark.real - before.real) : before.now;
    this.note({ kind: 'clock', detail: { moved: mark.now - stood, runs: mark.runs } });
  }

  /** Writes down what waits: whoever looks sees all there is. */
  settle(): void {
    this.#timer?.();
    this.#timer = undefined;
    const acts = this.#waiting;
    if (acts.length === 0) return;
    this.#waiting = [];
    try {
      const store = this.#open();
      store.insertAll(acts);
      this.#kept += acts.length;
      if (this.#kept > MOST) this.#kept -= store.removeOldest(this.#kept - MOST + ROOM_AT_ONCE);
    } catch (error) {
      this.#parts.onError(error);
    }
  }

  /** Newest first. */
  list(page: ActPage): StoredAct[] {
    this.settle();
    return this.#open().list(page);
  }

  /** The place before the newest so many; 0 where there are no more than these. */
  placeBefore(newest: number): number {
    this.settle();
    return this.#open().placeBefore(newest);
  }

  /** Some of what stands after a place, oldest first, as rows: nobody else waits long for what is done with them elsewhere. */
  piece(after: number): ActRow[] {
    return this.#isClosed ? [] : this.#open().piece(after);
  }

  /** Begins anew: of what came before nothing is known any more. */
  renew(): void {
    this.settle();
    this.#store?.clear();
    this.#kept = 0;
  }

  close(): void {
    this.settle();
    this.#isClosed = true;
    this.#store?.close();
    this.#store = undefined;
  }

  #open(): ActStore {
    if (!this.#store) {
      this.#store = new ActStore(this.#parts.file);
      this.#kept = this.#store.count();
    }
    return this.#store;
  }
}
