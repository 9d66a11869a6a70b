import { setMaxListeners } from 'node:events';
import type { Reader } from '../../base/database/transaction.ts';
import type { Release } from '../faults/hold.ts';
import type { Holds } from '../faults/holds.ts';
import { HELD_MS, QUIET_MS } from './delivery-fault.ts';
import { type DueDelivery, readDue } from './outbox-store.ts';

/** What is sent next to an endpoint, its owner in the queue: one after another, or all at once. */
export interface Batch {
  /** The id of the first of them. */
  id: string;
  owner: string;
  deliveries: readonly [DueDelivery, ...DueDelivery[]];
  atOnce: boolean;
}

export interface OrderParts {
  holds: Holds;
  database: Reader;
  /** Called when a hold releases a delivery; resolves when that is stored. */
  onRelease(due: DueDelivery, release: Release): Promise<void>;
  /** Called when an endpoint may have a due delivery. */
  wake(endpointId: string): void;
}

/** Each held delivery adds a listener. */
function unlimitedListeners(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}

/** The order of an endpoint's deliveries: the oldest due one first, except as faults and holds change order and time. */
export class DeliveryOrder {
  readonly #parts: OrderParts;
  /** Endpoints with a delivery that waits for the one after it. */
  readonly #waiting = new Map<string, AbortController>();
  /** The holds of deliveries by delivery id: each is held when it comes to be sent. */
  readonly #caught = new Map<string, string>();
  /** Held deliveries, which the queue skips, and those that were released. */
  readonly #aside = new Set<string>();
  readonly #released = new Set<string>();
  #closing = unlimitedListeners();

  constructor(parts: OrderParts) {
    this.#parts = parts;
  }

  open(): void {
    this.#closing = unlimitedListeners();
  }

  /** Ends all holds; nothing is sent until it is opened again. */
  close(): void {
    this.#closing.abort();
    for (const known of [this.#caught, this.#aside, this.#released]) known.clear();
  }

  get isOpen(): boolean {
    return !this.#closing.signal.aborted;
  }

  /** Has a hold stop a delivery when it comes to be sent. */
  expect(deliveryId: string, holdId: string): void {
    this.#caught.set(deliveryId, holdId);
  }

  /** Returns a held delivery to the queue. */
  free({ id }: DueDelivery): void {
    this.#aside.delete(id);
  }

  /** A new delivery is due at the endpoint. */
  wake(endpointId: string): void {
    this.#waiting.get(endpointId)?.abort();
  }

  /** The next delivery, or two: a pair for the same moment, or one that is to come after the next. */
  next(endpointId: string): Batch | undefined {
    const [first, second] = this.#due(endpointId);
    if (!first) return undefined;
    const atOnce = second?.fault === 'twin' && second.eventId === first.eventId;
    const isMore = second && (atOnce || first.fault === 'reorder');
    return { id: first.id, owner: endpointId, deliveries: isMore ? [first, second] : [first], atOnce };
  }

  /**
   * The deliveries of a batch in the order of sending: one with the fault `reorder` comes after the next one. If there is
   * no next one, it waits up to `HELD_MS` for one.
   */
  async inOrder({ owner, deliveries }: Batch, cancelled: AbortSignal): Promise<readonly DueDelivery[]> {
    const [first, second] = deliveries;
    if (first.fault !== 'reorder') return deliveries;
    const overtaking = second ?? (await this.#follower(owner, cancelled));
    return overtaking ? [overtaking, first] : [first];
  }

  /** Resolves when the next delivery may be sent. */
  async ripe({ fault }: DueDelivery, cancelled: AbortSignal): Promise<void> {
    if (fault !== 'late') return;
    await this.#wait(AbortSignal.any([cancelled, this.#closing.signal]));
  }

  /** The first two due deliveries that are not held; starts the waits of those that are. */
  #due(endpointId: string): DueDelivery[] {
    for (;;) {
      const due = readDue(this.#parts.database, endpointId, [...this.#aside]);
      const held = due.filter((each) => this.#isHeld(each));
      if (held.length === 0) return due;
      for (const each of held) void this.#setAside(each, endpointId);
    }
  }

  #isHeld({ id, accountId, fault }: DueDelivery): boolean {
    const { holds } = this.#parts;
    if (this.#released.has(id)) return false;
    if (this.#caught.has(id) || fault === 'after_all') return true;
    return holds.isSet && holds.deliveryHoldOf(accountId) !== undefined;
  }

  /** The queue of the endpoint skips a held delivery; it is due again once it is released. */
  async #setAside(due: DueDelivery, endpointId: string): Promise<void> {
    const { id } = due;
    this.#aside.add(id);
    await this.#untilReleased(due).catch(() => undefined);
    if (!this.isOpen) return;
    this.free(due);
    this.#parts.wake(endpointId);
  }

  async #untilReleased(due: DueDelivery): Promise<void> {
    const { id, accountId } = due;
    const { holds, onRelease } = this.#parts;
    const holdId = this.#caught.get(id) ?? holds.deliveryHoldOf(accountId);
    if (holdId === undefined) {
      await holds.timers.untilQuiet(accountId, QUIET_MS, this.#closing.signal);
      this.#released.add(id);
      return;
    }
    const release = await holds.hold(holdId, { accountId, what: 'delivery', deliveryId: id }, this.#closing.signal);
    this.#caught.delete(id);
    this.#released.add(id);
    await onRelease(due, release);
  }

  async #follower(endpointId: string, cancelled: AbortSignal): Promise<DueDelivery | undefined> {
    const woken = new AbortController();
    this.#waiting.set(endpointId, woken);
    await this.#wait(AbortSignal.any([cancelled, this.#closing.signal, woken.signal]));
    this.#waiting.delete(endpointId);
    return this.#due(endpointId)[1];
  }

  /** Waits `HELD_MS`, or until `ended` aborts. */
  #wait(ended: AbortSignal): Promise<void> {
    return this.#parts.holds.waits.wait(HELD_MS, ended).catch(() => undefined);
  }
}
