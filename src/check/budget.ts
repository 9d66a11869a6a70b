import type { Clock } from '../base/clock/clock.ts';

/** The factor by which confirmations may exceed the budget. */
const OVERTIME = 1.1;

/** Limits a search by a time and a signal. A run begins only if it can end in time. */
export class Budget {
  /** The length of one run in milliseconds. */
  lengthMs = 0;
  readonly #clock: Pick<Clock, 'real'>;
  readonly #began: number;
  readonly #limits: { budgetMs: number; signal: AbortSignal };

  /** `budgetMs` counts from now; 0 means no limit. */
  constructor(clock: Pick<Clock, 'real'>, limits: { budgetMs: number; signal: AbortSignal }) {
    this.#clock = clock;
    this.#began = clock.real();
    this.#limits = limits;
  }

  get elapsedMs(): number {
    return this.#clock.real() - this.#began;
  }

  get leftMs(): number {
    return this.#left(1, 1);
  }

  get isOver(): boolean {
    return this.#limits.signal.aborted || this.leftMs < 0;
  }

  hasTime(runs: number): boolean {
    return !this.#limits.signal.aborted && this.#left(OVERTIME, runs) >= 0;
  }

  #left(share: number, runs: number): number {
    const { budgetMs } = this.#limits;
    if (budgetMs === 0) return Number.POSITIVE_INFINITY;
    return budgetMs * share - this.elapsedMs - runs * this.lengthMs;
  }
}
