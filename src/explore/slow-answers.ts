import { type Step, withoutNumber } from './step.ts';
import type { Rank } from './story-pace.ts';

/** So long a client's later answers are held once it has waited out a whole one: milliseconds. */
const LATER_MS = 1000;

/** How long slow answers are held: who has shown once that he waits for all of it is not made to show it each time. */
export class SlowAnswers {
  readonly #ms: number;
  readonly #waitedOut = new Set<string>();

  /** `ms` is how long an answer is held at most. */
  constructor(ms: number) {
    this.#ms = ms;
  }

  /** Whatever is tried for the first time may be held for a shorter time; what is looked at again is held for all of it. */
  msFor(step: Step, rank: Rank): number {
    const isShort = rank === 'new' && this.#waitedOut.has(withoutNumber(step.name));
    return isShort ? Math.min(LATER_MS, this.#ms) : this.#ms;
  }

  /** Told of a client that was still there when the time was over. */
  waitedOut(step: Step): void {
    this.#waitedOut.add(withoutNumber(step.name));
  }
}
