import type { Cancel } from '../../../src/base/clock/clock.ts';
import { VirtualClock } from '../../../src/base/clock/virtual-clock.ts';

interface Timer {
  milliseconds: number;
  task: () => void;
}

/** A clock whose timers fire only in `elapse`, so that a test of a time limit need not wait for it. */
export class HandClock extends VirtualClock {
  readonly #timers = new Set<Timer>();
  /** VirtualClock calls `real` before the fields of this class have values. */
  declare private skipped: number | undefined;

  override real(): number {
    return super.real() + (this.skipped ?? 0);
  }

  override after(milliseconds: number, task: () => void): Cancel {
    const timer = { milliseconds, task };
    this.#timers.add(timer);
    return () => {
      this.#timers.delete(timer);
    };
  }

  /** Moves every timer nearer by so many milliseconds, and fires those that are due. */
  elapse(milliseconds: number): void {
    this.skipped = (this.skipped ?? 0) + milliseconds;
    for (const timer of [...this.#timers]) {
      timer.milliseconds -= milliseconds;
      if (timer.milliseconds > 0) continue;
      this.#timers.delete(timer);
      timer.task();
    }
  }
}
