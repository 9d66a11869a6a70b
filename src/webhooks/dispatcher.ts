import type { Clock } from '../clock/clock.ts';
import type { Database } from '../database/database.ts';
import type { Transaction } from '../database/transaction.ts';
import type { CrashHook } from '../faults/applied-fault.ts';
import type { Release } from '../faults/hold.ts';
import type { Holds } from '../faults/holds.ts';
import type { Task } from '../queue/task.ts';
import { WorkQueue } from '../queue/work-queue.ts';
import type { Courier, Parcel } from './courier.ts';
import { DROPPED } from './delivery-fault.ts';
import { type Batch, DeliveryOrder } from './delivery-order.ts';
import {
  type ClosedDelivery,
  claim,
  clearFault,
  closeDelivery,
  type DueDelivery,
  failAttempted,
  failDue,
  failUnsent,
  type Outcome,
  readFirstSignature,
  readOwed,
} from './delivery-queue-store.ts';
import { deleteEndpoint, readEndpoint, writeLastDelivery } from './endpoint-store.ts';
import { readEvent } from './event-store.ts';
import { faultyLetter } from './faulty-body.ts';

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
  /** Ends the process before a delivery that is marked so; undefined where none would start it again. */
  crashHook?: CrashHook | undefined;
  /** Where deliveries are held. */
  holds: Holds;
  /** Does to a delivery what it was let go with. */
  letGo(tx: Transaction, due: DueDelivery, release: Release): void;
}

interface Claim extends Parcel {
  endpointId: string;
}

/** Sends what is due: one attempt each, on record before it is made, in order per endpoint. */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #queue: WorkQueue<Batch>;
  readonly #order: DeliveryOrder;

  constructor(options: DispatcherOptions) {
    this.#options = options;
    const { database, holds } = options;
    this.#order = new DeliveryOrder({
      database,
      holds,
      wake: (endpointId) => this.wake(endpointId),
      onLetGo: (due, release) =>
        database.transact((tx) => {
          // Before anybody is woken by what is written with it: it comes in its own place.
          tx.onCommit(() => this.#order.free(due));
          options.letGo(tx, due, release);
        }),
    });
    const { clock, onError } = options;
    this.#queue = new WorkQueue({
      clock,
      onError,
      limits: { all: CONCURRENCY, ofOwner: 1 },
      owners: () => readOwed(database),
      next: (endpointId) => this.#order.next(endpointId),
      work: (task) => this.#serve(task),
    });
  }

  /** Takes up what is due from the last run. What was in flight then has had its one attempt. */
  async start(): Promise<void> {
    await this.#options.database.transact((tx) => {
      const cut = 'interrupted: the emulator ended during this attempt, and there is but one';
      this.#tell(tx, failAttempted(tx, cut));
    });
    this.#order.open();
    this.#queue.open();
  }

  /** Begins no further attempt (what is held stays due), gives those in flight `graceMs` of real time, then cuts them short. */
  async stop(graceMs: number): Promise<void> {
    const closed = this.#queue.close();
    this.#order.close();
    const reason = new Error('interrupted: the emulator was stopped during this attempt');
    this.#queue.cutResting(reason);
    const cancel = this.#options.clock.after(graceMs, () => this.#queue.cut(reason));
    await closed;
    cancel();
  }

  settled(): Promise<void> {
    return this.#queue.settled();
  }

  wake(endpointId: string): void {
    this.#order.wake(endpointId);
    this.#queue.wake(endpointId);
  }

  /** Has a hold catch a delivery when its turn comes. */
  expect(deliveryId: string, holdId: string): void {
    this.#order.expect(deliveryId, holdId);
  }

  /** Deletes an endpoint with all it is still owed; answers whether the workspace had it. */
  remove(tx: Transaction, workspaceId: string, endpointId: string): boolean {
    if (!deleteEndpoint(tx, workspaceId, endpointId)) return false;
    const reason = 'the endpoint was deleted before this delivery was sent';
    this.#tell(tx, failDue(tx, endpointId, reason));
    const cut = new Error('the endpoint was deleted during this attempt');
    tx.onCommit(() => this.#queue.cut(cut, ({ owner }) => owner === endpointId));
    return true;
  }

  async #serve({ item, signal }: Task<Batch>): Promise<void> {
    const deliveries = await this.#order.inOrder(item, signal);
    const sent = (due: DueDelivery) => this.#deliver(due, item.owner, signal);
    if (item.atOnce) await Promise.all(deliveries.map(sent));
    else for (const due of deliveries) await sent(due);
  }

  async #deliver(due: DueDelivery, endpointId: string, signal: AbortSignal): Promise<void> {
    const { database, courier, holds } = this.#options;
    await this.#order.ripe(due, signal);
    if (!this.#order.isOpen) return;
    const claimed = await database.transact((tx) => this.#claim(tx, due, endpointId));
    if (!claimed) return;
    holds.timers.started(due.accountId);
    const outcome = await courier.attempt(claimed, signal);
    await database.transact((tx) => this.#record(tx, claimed, outcome));
  }

  #claim(tx: Transaction, { id, fault }: DueDelivery, endpointId: string): Claim | undefined {
    if (fault === 'drop') {
      this.#tell(tx, failUnsent(tx, id, DROPPED));
      return undefined;
    }
    if (fault === 'before_delivery' && this.#dies(tx, id)) return undefined;
    const claimed = claim(tx, id, this.#options.clock.real());
    const endpoint = readEndpoint(tx, endpointId);
    const event = claimed && readEvent(tx, claimed.eventId);
    if (!claimed || !endpoint || !event) return undefined;
    const { secret } = endpoint;
    const letter = faultyLetter({ eventId: event.id, body: event.body }, fault, id);
    const before = fault === null ? null : readFirstSignature(tx, event.id, endpointId);
    return { ...claimed, ...letter, deliveryId: id, endpointId, secret, fault, before };
  }

  /** The mark is taken off, and that committed, before the end: the attempt is made in the next life. */
  #dies(tx: Transaction, id: string): boolean {
    clearFault(tx, id);
    const { crashHook } = this.#options;
    if (crashHook) tx.onCommit(crashHook);
    return crashHook !== undefined;
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
