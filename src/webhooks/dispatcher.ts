import type { Clock } from '../clock/clock.ts';
import type { Database } from '../database/database.ts';
import type { Transaction } from '../database/transaction.ts';
import type { Courier, Parcel } from './courier.ts';
import { DeliveryLanes } from './delivery-lanes.ts';
import {
  type ClosedDelivery,
  claimNext,
  closeDelivery,
  failAttempted,
  failDue,
  type Outcome,
  readOwed,
} from './delivery-queue-store.ts';
import { deleteEndpoint, readEndpoint, writeLastDelivery } from './endpoint-store.ts';
import { readEvent } from './event-store.ts';

/** Most attempts in flight at one time. */
const CONCURRENCY = 64;
const GONE = 410;

export interface DispatcherOptions {
  clock: Clock;
  database: Database;
  courier: Courier;
  /** Told of each delivery that has become final, after the commit. */
  onClosed(closed: ClosedDelivery): void;
  /** Told of what kept an attempt from being recorded, such as a full disk. */
  onError(error: unknown): void;
}

interface Claim extends Parcel {
  endpointId: string;
}

/** Sends what is due: one attempt each, on record before it is made, in order per endpoint. */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #lanes: DeliveryLanes;

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.#lanes = new DeliveryLanes(CONCURRENCY, (lane, signal) => this.#serve(lane, signal));
  }

  /** Takes up what is due from the last run. What was in flight then has had its one attempt. */
  async start(): Promise<void> {
    const owed = await this.#options.database.transact((tx) => {
      const cut = 'interrupted: the emulator ended during this attempt, and there is but one';
      this.#tell(tx, failAttempted(tx, cut));
      return readOwed(tx);
    });
    this.#lanes.open();
    for (const endpointId of owed) this.#lanes.wake(endpointId);
  }

  /** Begins no further attempt, gives those in flight `graceMs` of real time, then cuts them short. */
  async stop(graceMs: number): Promise<void> {
    this.#lanes.close();
    const reason = new Error('interrupted: the emulator was stopped during this attempt');
    const cancel = this.#options.clock.after(graceMs, () => this.#lanes.cancelAll(reason));
    await this.#lanes.settled();
    cancel();
  }

  settled(): Promise<void> {
    return this.#lanes.settled();
  }

  wake(endpointId: string): void {
    this.#lanes.wake(endpointId);
  }

  /** Deletes an endpoint with all it is still owed; answers whether the workspace had it. */
  remove(tx: Transaction, workspaceId: string, endpointId: string): boolean {
    if (!deleteEndpoint(tx, workspaceId, endpointId)) return false;
    const reason = 'the endpoint was deleted before this delivery was sent';
    this.#tell(tx, failDue(tx, endpointId, reason));
    const cut = new Error('the endpoint was deleted during this attempt');
    tx.onCommit(() => this.#lanes.cancel(endpointId, cut));
    return true;
  }

  async #serve(endpointId: string, signal: AbortSignal): Promise<boolean> {
    const { database, courier, onError } = this.#options;
    try {
      const claim = await database.transact((tx) => this.#claim(tx, endpointId));
      if (!claim) return false;
      const outcome = await courier.attempt(claim, signal);
      await database.transact((tx) => this.#record(tx, claim, outcome));
      return true;
    } catch (error) {
      onError(error);
      return false;
    }
  }

  #claim(tx: Transaction, endpointId: string): Claim | undefined {
    const claimed = claimNext(tx, endpointId, this.#options.clock.real());
    const endpoint = readEndpoint(tx, endpointId);
    const event = claimed && readEvent(tx, claimed.eventId);
    if (!claimed || !endpoint || !event) return undefined;
    const { id: deliveryId, eventId, url } = claimed;
    return { deliveryId, eventId, endpointId, url, secret: endpoint.secret, body: event.body };
  }

  #record(tx: Transaction, { deliveryId, endpointId }: Claim, outcome: Outcome): void {
    const closed = closeDelivery(tx, deliveryId, outcome);
    if (!closed) return;
    writeLastDelivery(tx, endpointId, outcome.responseStatus);
    if (outcome.responseStatus === GONE) this.#removeGone(tx, endpointId);
    this.#tell(tx, [closed]);
  }

  #removeGone(tx: Transaction, endpointId: string): void {
    const endpoint = readEndpoint(tx, endpointId);
    if (endpoint) this.remove(tx, endpoint.workspaceId, endpointId);
  }

  #tell(tx: Transaction, closed: ClosedDelivery[]): void {
    const { onClosed } = this.#options;
    for (const delivery of closed) tx.onCommit(() => onClosed(delivery));
  }
}
