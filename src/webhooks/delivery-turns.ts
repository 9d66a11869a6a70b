import type { Clock } from '../clock/clock.ts';
import type { Reader } from '../database/transaction.ts';
import { HELD_MS, hold } from './delivery-fault.ts';
import { type DueDelivery, readDue } from './delivery-queue-store.ts';

/** Whose turn it is at an endpoint: the oldest due one's, but for what faults do to the order and the time. */
export class DeliveryTurns {
  readonly #clock: Clock;
  readonly #database: Reader;
  /** Endpoints at which one waits to be overtaken. */
  readonly #waiting = new Map<string, AbortController>();
  #closing = new AbortController();

  constructor(parts: { clock: Clock; database: Reader }) {
    this.#clock = parts.clock;
    this.#database = parts.database;
  }

  open(): void {
    this.#closing = new AbortController();
  }

  /** Ends what is held; nobody has a turn until it is opened again. */
  close(): void {
    this.#closing.abort();
  }

  get isOpen(): boolean {
    return !this.#closing.signal.aborted;
  }

  /** Something new is due at the endpoint. */
  wake(endpointId: string): void {
    this.#waiting.get(endpointId)?.abort();
  }

  /**
   * The next one, alone; or, when that one is to come out of order, the one behind it and then itself. If none is
   * behind it, it waits for one, but no longer than it takes to be held.
   */
  async next(endpointId: string, cancelled: AbortSignal): Promise<DueDelivery[]> {
    const [first, second] = readDue(this.#database, endpointId);
    if (first?.fault !== 'reorder') return first ? [first] : [];
    const overtaking = second ?? (await this.#follower(endpointId, cancelled));
    return overtaking ? [overtaking, first] : [first];
  }

  /** Resolves when a delivery whose turn it is may be sent. */
  async ripe({ fault }: DueDelivery, cancelled: AbortSignal): Promise<void> {
    if (fault !== 'late') return;
    await hold(this.#clock, HELD_MS, AbortSignal.any([cancelled, this.#closing.signal]));
  }

  async #follower(endpointId: string, cancelled: AbortSignal): Promise<DueDelivery | undefined> {
    const woken = new AbortController();
    this.#waiting.set(endpointId, woken);
    const ended = AbortSignal.any([cancelled, this.#closing.signal, woken.signal]);
    await hold(this.#clock, HELD_MS, ended);
    this.#waiting.delete(endpointId);
    return readDue(this.#database, endpointId)[1];
  }
}
