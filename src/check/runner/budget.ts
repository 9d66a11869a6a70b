import type { Clock } from '../../base/clock/clock.ts';

/** Confirmation and shrinking may exceed the budget by this factor. */
const OVERTIME = 1.1;

interface Limits {
  /** From now; 0 means no limit. */
  budgetMs: number;
  signal: AbortSignal;
}

/** Limits a search by its time and its signal. A run begins only if it can end in time. */
export class Budget {
  /** The length of one run in milliseconds. */
  lengthMs = 0;
  isBroken = false;
  readonly #clock: Pick<Clock, 'real'>;
  readonly #began: number;
  readonly #limits: Limits;

  constructor(clock: Pick<Clock, 'real'>, limits: Limits) {
    this.#clock = clock;
    this.#began = clock.real();
    this.#limits = limits;
  }

  get elapsedMs(): number {
    return this.#clock.real() - this.#began;
  }

  get signal(): AbortSignal {
    return this.#limits.signal;
  }

  get leftMs(): number {
    return this.#left(1, 1);
  }

  hasTime(runs: number): boolean {
    return !this.#isEnded && this.#left(OVERTIME, runs) >= 0;
  }

  get isOver(): boolean {
    return this.#isEnded || this.leftMs < 0;
  }

  get #isEnded(): boolean {
    return this.#limits.signal.aborted || this.isBroken;
  }

  #left(share: number, runs: number): number {
    const { budgetMs } = this.#limits;
    if (budgetMs === 0) return Number.POSITIVE_INFINITY;
    return budgetMs * share - this.elapsedMs - runs * this.lengthMs;
  }
}
