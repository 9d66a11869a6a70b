import type { Cancel, Clock } from '../clock/clock.ts';

/** Who is let in first: who may have nobody beside him, who goes on with what was begun, who begins something. */
export type Rank = 'alone' | 'next' | 'new';

/** How long this process stood still while something went on: milliseconds in all, and at once at most. */
export interface Standstill {
  sum: number;
  worst: number;
}

interface Waiting {
  rank: Rank;
  since: number;
  enter(): void;
}

const RANKS: readonly Rank[] = ['alone', 'next', 'new'];
const LOOK_MS = 25;
/** A process that is so late on average, in milliseconds, has enough to do. */
const LATE_MS = 120;
/** Of the average, what the newest look counts for. */
const NEWEST = 0.2;
/** How long who wants to be alone waits for the machine to have time. */
const PATIENCE_MS = 5000;

/**
 * Lets work begin: so much at once as is wanted, less while this process does not keep up with it. A client has patience
 * of its own, and shows on a starved machine what it does when that ends.
 */
export class Pace {
  readonly #clock: Clock;
  readonly #most: number;
  readonly #signal: AbortSignal;
  readonly #under = new Set<Standstill>();
  #waiting: Waiting[] = [];
  /** How many were let in and have not ended. */
  #inside = 0;
  #isAlone = false;
  #late = 0;
  #due = 0;
  #cancel: Cancel | undefined;

  constructor(clock: Clock, most: number, signal: AbortSignal) {
    this.#clock = clock;
    this.#most = most;
    this.#signal = signal;
  }

  /** Does `work` as soon as there is room for it; tells it of the standstill, which grows as long as it goes on. */
  async go<T>(rank: Rank, work: (standstill: Standstill) => Promise<T>): Promise<T> {
    await new Promise<void>((enter) => {
      this.#waiting.push({ rank, since: this.#clock.real(), enter });
      this.#look();
      this.#admit();
    });
    const standstill: Standstill = { sum: 0, worst: 0 };
    this.#under.add(standstill);
    try {
      return await work(standstill);
    } finally {
      this.#under.delete(standstill);
      this.#isAlone = false;
      this.#inside -= 1;
      this.#admit();
    }
  }

  /** Looks at the time again and again, as long as anything goes on. */
  #look(): void {
    if (this.#cancel) return;
    this.#due = this.#clock.real() + LOOK_MS;
    this.#cancel = this.#clock.after(LOOK_MS, () => {
      this.#cancel = undefined;
      this.#measure(Math.max(0, this.#clock.real() - this.#due));
      this.#admit();
      if (this.#inside > 0 || this.#waiting.length > 0) this.#look();
    });
  }

  #measure(late: number): void {
    this.#late += (late - this.#late) * NEWEST;
    for (const standstill of this.#under) {
      standstill.sum += late;
      standstill.worst = Math.max(standstill.worst, late);
    }
  }

  /** One at a time: what it costs is seen before the next one comes. */
  #admit(): void {
    const first = RANKS.flatMap((rank) => this.#waiting.find((each) => each.rank === rank) ?? [])[0];
    if (!first || !this.#hasRoom(first)) return;
    this.#waiting = this.#waiting.filter((each) => each !== first);
    this.#isAlone = first.rank === 'alone';
    this.#inside += 1;
    first.enter();
  }

  #hasRoom({ rank, since }: Waiting): boolean {
    if (this.#signal.aborted) return true;
    const inTime = this.#late < LATE_MS;
    if (rank === 'alone') return this.#inside === 0 && (inTime || this.#clock.real() - since > PATIENCE_MS);
    return this.#inside === 0 || (inTime && !this.#isAlone && this.#inside < this.#most);
  }
}
