import { setMaxListeners } from 'node:events';
import type { Holds, Release } from '../faults/holds.ts';
import { HELD_MS, QUIET_MS } from './delivery-fault.ts';
import type { DueDelivery } from './outbox-store.ts';

interface ParkedParts {
  holds: Holds;
  /** Called when a hold releases a delivery; resolves when that is stored. */
  onRelease(due: DueDelivery, release: Release): Promise<void>;
  /** Called when an endpoint may have a due delivery. */
  wake(endpointId: string): void;
}

/** A due delivery that is to wait, waits or has waited. */
interface Parked {
  /** The hold that stops it when it comes to be sent. */
  holdId: string | undefined;
  isWaiting: boolean;
  /** What it has waited for: it does not wait for it again. */
  waited: Set<string>;
}

/** Due deliveries that wait, for a hold or by their fault. The queue of their endpoint goes on without them. */
export class ParkedDeliveries {
  readonly #parts: ParkedParts;
  /** By delivery id, of those that are to wait or have waited. */
  readonly #known = new Map<string, Parked>();
  /** Endpoints with a delivery that is to come after the next one. */
  readonly #overtaken = new Map<string, AbortController>();
  readonly #closing = new AbortController();

  constructor(parts: ParkedParts) {
    this.#parts = parts;
    // Each of them adds a listener.
    setMaxListeners(0, this.#closing.signal);
  }

  /** Ends all waits; no endpoint is looked at for them. */
  close(): void {
    this.#closing.abort();
  }

  get ids(): string[] {
    return [...this.#known].flatMap(([id, { isWaiting }]) => (isWaiting ? [id] : []));
  }

  /** Has a hold stop a delivery when it comes to be sent. */
  expect(deliveryId: string, holdId: string): void {
    this.#of(deliveryId).holdId = holdId;
  }

  /** Has a delivery wait for what it is to wait for; answers whether it does. It is due again afterwards. */
  park(due: DueDelivery, endpointId: string): boolean {
    const wait = this.#waitOf(due, endpointId);
    if (!wait) return false;
    this.#of(due.id).isWaiting = true;
    void wait()
      .catch(() => undefined)
      .then(() => {
        if (this.#closing.signal.aborted) return;
        this.free(due);
        this.#parts.wake(endpointId);
      });
    return true;
  }

  /** Returns a delivery to the queue. */
  free({ id }: DueDelivery): void {
    const known = this.#known.get(id);
    if (known) known.isWaiting = false;
  }

  /** Deliveries of the endpoint were sent: one that was to come after them is next. */
  sent(endpointId: string, deliveries: readonly DueDelivery[]): void {
    for (const { id } of deliveries) this.#known.delete(id);
    if (deliveries.length > 0) this.#overtaken.get(endpointId)?.abort();
  }

  /** Waits `HELD_MS` of real time, or until `ended` aborts. */
  wait(ended: AbortSignal): Promise<void> {
    const either = AbortSignal.any([ended, this.#closing.signal]);
    return this.#parts.holds.waits.wait(HELD_MS, either).catch(() => undefined);
  }

  #waitOf(due: DueDelivery, endpointId: string): (() => Promise<void>) | undefined {
    const { id, accountId, fault } = due;
    const { holds } = this.#parts;
    const holdId = this.#known.get(id)?.holdId ?? (holds.isSet ? holds.deliveryHoldOf(accountId) : undefined);
    if (holdId !== undefined && this.#isNew('hold', id)) return () => this.#untilReleased(due, holdId);
    if (fault === 'after_all' && this.#isNew(fault, id))
      return () => holds.timers.untilQuiet(accountId, QUIET_MS, this.#closing.signal);
    // Of two that are to come after the next one, the second is the next one of the first.
    const isNext = fault !== 'reorder' || this.#overtaken.has(endpointId);
    return isNext || !this.#isNew(fault, id) ? undefined : () => this.#untilOvertaken(endpointId);
  }

  #isNew(reason: string, id: string): boolean {
    const { waited } = this.#of(id);
    if (waited.has(reason)) return false;
    waited.add(reason);
    return true;
  }

  #of(id: string): Parked {
    const known = this.#known.get(id) ?? { holdId: undefined, isWaiting: false, waited: new Set() };
    this.#known.set(id, known);
    return known;
  }

  async #untilReleased(due: DueDelivery, holdId: string): Promise<void> {
    const { id, accountId } = due;
    const about = { accountId, what: 'delivery', deliveryId: id };
    const release = await this.#parts.holds.hold(holdId, about, this.#closing.signal);
    this.#of(id).holdId = undefined;
    await this.#parts.onRelease(due, release);
  }

  async #untilOvertaken(endpointId: string): Promise<void> {
    const sent = new AbortController();
    this.#overtaken.set(endpointId, sent);
    await this.wait(sent.signal);
    this.#overtaken.delete(endpointId);
  }
}
