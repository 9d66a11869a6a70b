import { setMaxListeners } from 'node:events';
import type { FaultWaits } from '../faults/fault-waits.ts';
import type { HoldRelease, Holds } from '../faults/holds.ts';
import { AFTER_ALL_QUIET_MS, LATE_DELIVERY_MS } from './apply-delivery-fault.ts';
import type { DueDelivery } from './delivery-store.ts';

interface ParkedParts {
  holds: Holds;
  waits: FaultWaits;
  onRelease(due: DueDelivery, release: HoldRelease): Promise<void>;
  wake(endpointId: string): void;
}

interface Parked {
  holdId: string | undefined;
  isWaiting: boolean;
  /** The reasons for which the delivery has waited already. It waits once for each reason. */
  waited: Set<string>;
}

/** Due deliveries that wait for a hold or because of their fault. Other deliveries to their endpoint overtake them. */
export class ParkedDeliveries {
  readonly #parts: ParkedParts;
  readonly #known = new Map<string, Parked>();
  /** Endpoints with a reordered delivery that waits for the next one. */
  readonly #overtaken = new Map<string, AbortController>();
  readonly #closing = new AbortController();

  constructor(parts: ParkedParts) {
    this.#parts = parts;
    // No limit of listeners, because each wait adds one.
    setMaxListeners(0, this.#closing.signal);
  }

  close(): void {
    this.#closing.abort();
  }

  get ids(): string[] {
    return [...this.#known].flatMap(([id, { isWaiting }]) => (isWaiting ? [id] : []));
  }

  expect(deliveryId: string, holdId: string): void {
    this.#of(deliveryId).holdId = holdId;
  }

  /** Returns whether the delivery has to wait. After the wait, the queue takes it again. */
  setAside(due: DueDelivery, endpointId: string): boolean {
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

  free({ id }: DueDelivery): void {
    const known = this.#known.get(id);
    if (known) known.isWaiting = false;
  }

  /** Ends the wait of a reordered delivery to the endpoint, because others were sent before it. */
  noteSent(endpointId: string, deliveries: readonly DueDelivery[]): void {
    for (const { id } of deliveries) this.#known.delete(id);
    if (deliveries.length > 0) this.#overtaken.get(endpointId)?.abort();
  }

  waitLate(ended: AbortSignal): Promise<void> {
    const either = AbortSignal.any([ended, this.#closing.signal]);
    return this.#parts.waits.delay(LATE_DELIVERY_MS, either).catch(() => undefined);
  }

  #waitOf(due: DueDelivery, endpointId: string): (() => Promise<void>) | undefined {
    const { id, accountId, fault } = due;
    const { holds, waits } = this.#parts;
    const holdId = this.#known.get(id)?.holdId ?? (holds.isSet ? holds.deliveryHoldOf(accountId) : undefined);
    if (holdId !== undefined && this.#isNew('hold', id)) return () => this.#untilReleased(due, holdId);
    if (fault === 'after_all' && this.#isNew(fault, id))
      return () => waits.untilQuiet(accountId, AFTER_ALL_QUIET_MS, this.#closing.signal);
    if (fault !== 'reorder') return undefined;
    // If another reordered delivery waits already, this one overtakes it.
    if (this.#overtaken.has(endpointId) || !this.#isNew(fault, id)) return undefined;
    return () => this.#untilOvertaken(endpointId);
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
    await this.waitLate(sent.signal);
    this.#overtaken.delete(endpointId);
  }
}
