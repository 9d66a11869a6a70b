import { Semaphore } from '../../base/clock/semaphore.ts';
import type { RunOrder } from './runner.ts';

/**
 * How many runs go on at the same time. Those that wait for most of their time have turns of their own, and so have those
 * that confirm a failure: they wait for no other run.
 */
export class Turns {
  #ordinary: Semaphore;
  #waiting: Semaphore;
  #urgent: Semaphore;

  constructor(jobs: number) {
    this.#ordinary = new Semaphore(jobs);
    this.#waiting = new Semaphore(jobs);
    this.#urgent = jobs === 1 ? this.#ordinary : new Semaphore(jobs + 1);
  }

  take<T>(order: Pick<RunOrder, 'isUrgent' | 'isWaiting'>, work: () => Promise<T>): Promise<T> {
    const turns = order.isUrgent ? this.#urgent : order.isWaiting ? this.#waiting : this.#ordinary;
    return turns.run(work, order);
  }

  /** From now on one at a time. */
  narrow(): void {
    this.#ordinary = new Semaphore(1);
    this.#waiting = this.#ordinary;
    this.#urgent = this.#ordinary;
  }
}
