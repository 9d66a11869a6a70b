import type { Clock } from '../clock/clock.ts';
import { overtaken } from '../errors.ts';

/** A request that is inside. */
export interface BarrierHolder {
  /** Told that the state is about to be replaced: it gives up whatever it waits for. */
  overtake(): void;
  /** Told that it took too long about that: its client loses the connection. */
  cut(): void;
}

/** The place of one who is not inside. */
export const OUTSIDE = -1;

/** What a guest is given to leave by itself, and how long after a cut it is waited for: milliseconds of real time. */
const GRACE_MS = 500;
const LAST_GRACE_MS = 10_000;

/**
 * Where every request passes that sees or changes the state. While a reset or a restore replaces all of it, the gate is
 * closed: who comes waits outside with the connection open, who is inside is told to end and waited for, so that a
 * request meets one state only [I190].
 */
export class StateBarrier {
  readonly #clock: Pick<Clock, 'after'>;
  /**
   * Each guest at a place of its own. Not a set: its old tables would keep those who have left, and all they hold, from
   * being collected while they are young, which is a third of what a chat costs.
   */
  readonly #places: (BarrierHolder | undefined)[] = [];
  readonly #free: number[] = [];
  #count = 0;
  #epoch = 0;
  #closed: Promise<void> | undefined;
  #onEmpty: (() => void) | undefined;

  constructor(clock: Pick<Clock, 'after'>) {
    this.#clock = clock;
  }

  get isClosed(): boolean {
    return this.#closed !== undefined;
  }

  /** Which state a request has come to: another number after each closing. */
  get epoch(): number {
    return this.#epoch;
  }

  /** Resolves with the era that a request comes to, which waits as long as the gate is closed. */
  async passage(): Promise<number> {
    while (this.#closed !== undefined) await this.#closed;
    return this.#epoch;
  }

  /** Answers the guest's place. Throws for one that came to a state which is gone: its body took until now. */
  enter(holder: BarrierHolder, epoch: number): number {
    if (epoch !== this.#epoch) throw overtaken();
    const place = this.#free.pop() ?? this.#places.length;
    this.#places[place] = holder;
    this.#count += 1;
    return place;
  }

  /** Once for each place; whoever is outside, or was given up, leaves in vain. */
  leave(place: number): void {
    if (!this.#places[place]) return;
    this.#places[place] = undefined;
    this.#free.push(place);
    this.#count -= 1;
    if (this.#count === 0) this.#onEmpty?.();
  }

  /** Tells everyone inside to end, and keeps the gate closed until `work` has ended. One at a time. */
  async closedFor(work: () => Promise<void>): Promise<void> {
    let open = () => {};
    this.#epoch += 1;
    this.#closed = new Promise((resolve) => {
      open = resolve;
    });
    for (const holder of [...this.#places]) holder?.overtake();
    try {
      await work();
    } finally {
      this.#closed = undefined;
      open();
    }
  }

  /** Resolves when nobody is inside any more; answers how many had to be given up. */
  async emptied(): Promise<number> {
    await this.#empty(GRACE_MS);
    for (const holder of [...this.#places]) holder?.cut();
    await this.#empty(LAST_GRACE_MS);
    const lost = this.#count;
    // Nobody else gets their places: whoever leaves one after all would send them away.
    this.#places.fill(undefined);
    this.#count = 0;
    return lost;
  }

  /** Resolves when nobody is inside, at the latest after `milliseconds` of real time. */
  async #empty(milliseconds: number): Promise<void> {
    if (this.#count === 0) return;
    await new Promise<void>((resolve) => {
      const cancel = this.#clock.after(milliseconds, resolve);
      this.#onEmpty = () => {
        cancel();
        resolve();
      };
    });
    this.#onEmpty = undefined;
  }
}
