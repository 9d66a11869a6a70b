import type { Clock } from '../base/clock/clock.ts';

/**
 * The time that is kept free to confirm a failure of the last scenario: two runs, and 4 s because a client may wait before
 * it retries. At most `MAX_SHARE` of the budget.
 */
const [CONFIRMING_RUNS, WAIT_MS] = [2, 4000];
const MAX_SHARE = 0.1;

export class Budget {
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

  /** The milliseconds in which a new scenario may begin. Some of the budget is kept free to confirm its failure. */
  get leftMs(): number {
    const confirmingMs = CONFIRMING_RUNS * this.lengthMs + WAIT_MS;
    return this.#leftAfter(1) - Math.min(this.#limits.budgetMs * MAX_SHARE, confirmingMs);
  }

  get isOver(): boolean {
    return this.#limits.signal.aborted || this.leftMs < 0;
  }

  hasTime(runs: number): boolean {
    return !this.#limits.signal.aborted && this.#leftAfter(runs) >= 0;
  }

  #leftAfter(runs: number): number {
    const { budgetMs } = this.#limits;
    return budgetMs === 0 ? Number.POSITIVE_INFINITY : budgetMs - this.elapsedMs - runs * this.lengthMs;
  }
}
