import { setMaxListeners } from 'node:events';
import type { Reader } from '../database/transaction.ts';
import type { Release } from '../faults/hold.ts';
import type { Holds } from '../faults/holds.ts';
import { HELD_MS, QUIET_MS } from './delivery-fault.ts';
import { type DueDelivery, readDue } from './delivery-queue-store.ts';

/** What is sent next to an endpoint, which is its owner here: one after another, or all at once. */
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
  /** Told of one that a hold has let go, with what it was let go with; resolves when that is on record. */
  onLetGo(due: DueDelivery, release: Release): Promise<void>;
  /** Told that an endpoint may be owed something. */
  wake(endpointId: string): void;
}

/** As many may wait for it as deliveries are held. */
function manyHeard(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}

/** In which order an endpoint's deliveries are sent: the oldest due one first, but for what faults and holds do to order and time. */
export class DeliveryOrder {
  readonly #parts: OrderParts;
  /** Endpoints at which one waits to be overtaken. */
  readonly #waiting = new Map<string, AbortController>();
  /** Those that a hold catches when their turn comes. */
  readonly #caught = new Map<string, string>();
  /** Those that wait beside the queue, which goes on, and those that have done so. */
  readonly #aside = new Set<string>();
  readonly #let = new Set<string>();
  #closing = manyHeard();

  constructor(parts: OrderParts) {
    this.#parts = parts;
  }

  open(): void {
    this.#closing = manyHeard();
  }

  /** Ends what is held; nothing is sent until it is opened again. */
  close(): void {
    this.#closing.abort();
    for (const known of [this.#caught, this.#aside, this.#let]) known.clear();
  }

  get isOpen(): boolean {
    return !this.#closing.signal.aborted;
  }

  /** Has a hold catch a delivery when its turn comes. */
  expect(deliveryId: string, holdId: string): void {
    this.#caught.set(deliveryId, holdId);
  }

  /** Has a delivery that was put aside be due again. */
  free({ id }: DueDelivery): void {
    this.#aside.delete(id);
  }

  /** Something new is due at the endpoint. */
  wake(endpointId: string): void {
    this.#waiting.get(endpointId)?.abort();
  }

  /** The next one, alone; both of a pair; or the two of which the first is to come after the second. */
  next(endpointId: string): Batch | undefined {
    const [first, second] = this.#due(endpointId);
    if (!first) return undefined;
    const atOnce = second?.fault === 'twin' && second.eventId === first.eventId;
    const isMore = second && (atOnce || first.fault === 'reorder');
    return { id: first.id, owner: endpointId, deliveries: isMore ? [first, second] : [first], atOnce };
  }

  /**
   * What is sent, in order: one that is to come out of order after the one behind it. If
   * none is behind it, it waits for one, but no longer than it takes to be held.
   */
  async inOrder({ owner, deliveries }: Batch, cancelled: AbortSignal): Promise<readonly DueDelivery[]> {
    const [first, second] = deliveries;
    if (first.fault !== 'reorder') return deliveries;
    const overtaking = second ?? (await this.#follower(owner, cancelled));
    return overtaking ? [overtaking, first] : [first];
  }

  /** Resolves when a delivery that is next may be sent. */
  async ripe({ fault }: DueDelivery, cancelled: AbortSignal): Promise<void> {
    if (fault !== 'late') return;
    await this.#wait(AbortSignal.any([cancelled, this.#closing.signal]));
  }

  /** The two that are due first, after putting aside those that wait by themselves. */
  #due(endpointId: string): DueDelivery[] {
    for (;;) {
      const due = readDue(this.#parts.database, endpointId, [...this.#aside]);
      const held = due.filter((each) => this.#isHeld(each));
      if (held.length === 0) return due;
      for (const each of held) void this.#putAside(each, endpointId);
    }
  }

  #isHeld({ id, accountId, fault }: DueDelivery): boolean {
    if (this.#let.has(id)) return false;
    return this.#caught.has(id) || fault === 'after_all' || this.#parts.holds.deliveryHoldOf(accountId) !== undefined;
  }

  /** The queue of its endpoint goes on without it; it is due again once it is let go. */
  async #putAside(due: DueDelivery, endpointId: string): Promise<void> {
    const { id } = due;
    this.#aside.add(id);
    await this.#letGo(due).catch(() => undefined);
    if (!this.isOpen) return;
    this.free(due);
    this.#parts.wake(endpointId);
  }

  async #letGo(due: DueDelivery): Promise<void> {
    const { id, accountId } = due;
    const { holds, onLetGo } = this.#parts;
    const holdId = this.#caught.get(id) ?? holds.deliveryHoldOf(accountId);
    if (holdId === undefined) {
      await holds.timers.untilQuiet(accountId, QUIET_MS, this.#closing.signal);
      this.#let.add(id);
      return;
    }
    const release = await holds.hold(holdId, { accountId, what: 'delivery', deliveryId: id }, this.#closing.signal);
    this.#caught.delete(id);
    this.#let.add(id);
    await onLetGo(due, release);
  }

  async #follower(endpointId: string, cancelled: AbortSignal): Promise<DueDelivery | undefined> {
    const woken = new AbortController();
    this.#waiting.set(endpointId, woken);
    await this.#wait(AbortSignal.any([cancelled, this.#closing.signal, woken.signal]));
    this.#waiting.delete(endpointId);
    return this.#due(endpointId)[1];
  }

  /** Until it is over or ended; a stop ends it too. */
  #wait(ended: AbortSignal): Promise<void> {
    return this.#parts.holds.waits.wait(HELD_MS, ended).catch(() => undefined);
  }
}
