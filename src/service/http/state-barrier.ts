import type { Clock } from '../../base/clock/clock.ts';
import { overtaken } from '../../base/errors.ts';

/** A request that is inside the barrier: it may see or change the state. */
export interface BarrierHolder {
  /** Called when the state is about to be replaced: the request gives up what it waits for. */
  overtake(): void;
  /** Called when it has not left in time: its client loses the connection. */
  cut(): void;
}

/** The slot of a request that is not inside. */
export const NOT_ADMITTED = -1;

/** How long a request has to leave by itself, and how long it is waited for after a cut: milliseconds of real time. */
const GRACE_MS = 500;
const LAST_GRACE_MS = 10_000;

/**
 * Every request that sees or changes the state passes it. It is closed while a reset or a restore replaces the state: new
 * requests wait with their connection open, and those inside are asked to end and waited for, so that each request sees
 * one state only [I190].
 */
export class StateBarrier {
  readonly #clock: Pick<Clock, 'after'>;
  /**
   * Each request in a slot of its own. Not a set: the old tables of a set keep requests that have left, and all that they
   * reference, from being collected while they are young, which is a third of the cost of a chat.
   */
  readonly #slots: (BarrierHolder | undefined)[] = [];
  readonly #free: number[] = [];
  #count = 0;
  #generation = 0;
  #closed: Promise<void> | undefined;
  #onEmpty: (() => void) | undefined;

  constructor(clock: Pick<Clock, 'after'>) {
    this.#clock = clock;
  }

  get isClosed(): boolean {
    return this.#closed !== undefined;
  }

  /** The number of the current state: each closing increments it. */
  get generation(): number {
    return this.#generation;
  }

  /** Resolves with the generation of a request, which waits as long as the barrier is closed. */
  async admission(): Promise<number> {
    while (this.#closed !== undefined) await this.#closed;
    return this.#generation;
  }

  /** Returns the slot of a request. Throws where its generation is over, because reading its body took until after a reset. */
  enter(holder: BarrierHolder, generation: number): number {
    if (generation !== this.#generation) throw overtaken();
    const slot = this.#free.pop() ?? this.#slots.length;
    this.#slots[slot] = holder;
    this.#count += 1;
    return slot;
  }

  /** Called once for each slot; without effect for a request that is outside, or was given up. */
  leave(slot: number): void {
    if (!this.#slots[slot]) return;
    this.#slots[slot] = undefined;
    this.#free.push(slot);
    this.#count -= 1;
    if (this.#count === 0) this.#onEmpty?.();
  }

  /** Asks all requests inside to end, and stays closed until `work` has ended. One call at a time. */
  async closedFor(work: () => Promise<void>): Promise<void> {
    let open = () => {};
    this.#generation += 1;
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

  /** Resolves when no request is inside any more; with how many had to be given up. */
  async emptied(): Promise<number> {
    await this.#empty(GRACE_MS);
    for (const holder of [...this.#slots]) holder?.cut();
    await this.#empty(LAST_GRACE_MS);
    const lost = this.#count;
    // Their slots are not reused: a late `leave` would free the slot of another request.
    this.#slots.fill(undefined);
    this.#count = 0;
    return lost;
  }

  /** Resolves when no request is inside, at the latest after `milliseconds` of real time. */
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

/** Waits until the barrier opens. The journal of the state before it ended with the requests of that state. */
export async function admission(
  { barrier, journal }: { barrier: StateBarrier; journal: { readonly generation: number } },
  requestContext: { generation: number },
): Promise<number> {
  const generation = await barrier.admission();
  requestContext.generation = journal.generation;
  return generation;
}
