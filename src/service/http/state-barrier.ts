import type { Clock } from '../../base/clock/clock.ts';
import { stateReplacedError } from '../../base/errors.ts';

export interface AdmittedRequest {
  /** Called before the state is replaced: the request must stop waiting. */
  overtake(): void;
  /** Called if the request has not left in time: its client loses the connection. */
  cut(): void;
}

export const NOT_ADMITTED = -1;

/**
 * Real milliseconds in which requests must end before the state is replaced. Then their connections are cut, and they
 * have `LAST_GRACE_MS` more to end.
 */
const GRACE_MS = 500;
const LAST_GRACE_MS = 10_000;

/**
 * Requests that use the state pass the barrier. While a reset or restore replaces the state, new ones wait and those
 * inside are asked to end, so that each sees one state only [I190].
 */
export class StateBarrier {
  readonly #clock: Pick<Clock, 'after'>;
  /** An array, because the tables that a Set outgrows must be garbage-collected: 6 % of the CPU time of a chat. */
  readonly #slots: (AdmittedRequest | undefined)[] = [];
  readonly #free: number[] = [];
  #count = 0;
  #stateEpoch = 0;
  #closed: Promise<void> | undefined;
  #onEmpty: (() => void) | undefined;

  constructor(clock: Pick<Clock, 'after'>) {
    this.#clock = clock;
  }

  get isClosed(): boolean {
    return this.#closed !== undefined;
  }

  get stateEpoch(): number {
    return this.#stateEpoch;
  }

  async admission(): Promise<number> {
    while (this.#closed !== undefined) await this.#closed;
    return this.#stateEpoch;
  }

  enter(holder: AdmittedRequest, stateEpoch: number): number {
    if (stateEpoch !== this.#stateEpoch) throw stateReplacedError();
    const slot = this.#free.pop() ?? this.#slots.length;
    this.#slots[slot] = holder;
    this.#count += 1;
    return slot;
  }

  /** Has no effect for a request that is outside or was given up. */
  leave(slot: number): void {
    if (!this.#slots[slot]) return;
    this.#slots[slot] = undefined;
    this.#free.push(slot);
    this.#count -= 1;
    if (this.#count === 0) this.#onEmpty?.();
  }

  /** Asks all requests to end, and lets none in until `work` has ended. Only one call at a time. */
  async closedFor(work: () => Promise<void>): Promise<void> {
    let open = () => {};
    this.#stateEpoch += 1;
    this.#closed = new Promise((resolve) => {
      open = resolve;
    });
    for (const holder of [...this.#slots]) holder?.overtake();
    try {
      await work();
    } finally {
      this.#closed = undefined;
      open();
    }
  }

  /** Waits until all requests have left, and cuts those that take too long. Returns how many had to be given up. */
  async emptied(): Promise<number> {
    await this.#empty(GRACE_MS);
    for (const holder of [...this.#slots]) holder?.cut();
    await this.#empty(LAST_GRACE_MS);
    const lost = this.#count;
    // Does not reuse the slots, because a late `leave` would otherwise free the slot of another request.
    this.#slots.fill(undefined);
    this.#count = 0;
    return lost;
  }

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
