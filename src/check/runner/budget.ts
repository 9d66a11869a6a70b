import type { Clock } from '../../base/clock/clock.ts';

/** What confirming and shrinking may take beyond the budget. */
const OVERTIME = 1.1;

interface Limits {
  /** From now on; 0: no end. */
  budgetMs: number;
  signal: AbortSignal;
}

/** What ends a search: its time, its signal, what breaks it. A run begins only if it will end in time. */
export class Budget {
  /** How long one run takes, in milliseconds: what is left has room for one. */
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
