import { setMaxListeners } from 'node:events';
import type { Clock } from '../../base/clock/clock.ts';
import type { Database } from '../../base/database/database.ts';
import type { Reader, Transaction } from '../../base/database/transaction.ts';
import type { Random } from '../../base/random.ts';
import type { CrashHook } from '../faults/applied-fault.ts';
import { effectKind } from '../faults/effects/effect-table.ts';
import type { Release } from '../faults/hold.ts';
import type { Holds } from '../faults/holds.ts';
import { type Task, WorkQueue } from '../work-queue.ts';
import { DROPPED, HELD_MS, plannedFaults, QUIET_MS } from './delivery-fault.ts';
import { readDelivery } from './delivery-store.ts';
import type { Outbox } from './outbox.ts';
import {
  addDelivery,
  claim,
  clearFault,
  closeDelivery,
  type DueDelivery,
  deleteEndpoint,
  markFault,
  type Outcome,
  readDue,
  readEndpoint,
  readEvent,
  readFirstSignature,
  writeLastDelivery,
} from './outbox-store.ts';
import type { DeliverySender, OutgoingDelivery } from './send-delivery.ts';
import {
  type ClosedDelivery,
  endpointsWithDue,
  failAttempted,
  failDue,
  failUnsent,
  type WebhookListener,
} from './unsent-store.ts';

/** Most attempts in flight at one time. */
const CONCURRENCY = 64;
const GONE = 410;

export interface WorkerOptions {
  clock: Clock;
  database: Database;
  random: Random;
  sender: DeliverySender;
  /** Called with each delivery that has become final, after the commit. */
  listeners: ReadonlySet<WebhookListener>;
  /** Called with what kept an attempt from being recorded, such as a full disk. */
  onError(error: unknown): void;
  steering: WorkerSteering;
}

/** What a test has the worker do. */
interface WorkerSteering {
  /** Ends the process before a delivery with that fault; undefined where no supervisor would start it again. */
  crashHook?: CrashHook | undefined;
  /** Where deliveries are held. */
  holds: Holds;
  outbox: Outbox;
}

interface Claim extends OutgoingDelivery {
  endpointId: string;
}

/** Sends due deliveries: one attempt each, recorded before it is made, in order per endpoint. */
export class DeliveryWorker {
  readonly #options: WorkerOptions;
  readonly #queue: WorkQueue<Batch>;
  readonly #order: DeliveryOrder;

  constructor(options: WorkerOptions) {
    this.#options = options;
    const { database, steering } = options;
    const { holds } = steering;
    this.#order = new DeliveryOrder({
      database,
      holds,
      wake: (endpointId) => this.wake(endpointId),
      onRelease: (due, release) => database.transact((tx) => this.#release(tx, due, release)),
    });
    const { clock, onError } = options;
    this.#queue = new WorkQueue({
      clock,
      onError,
      limits: { all: CONCURRENCY, ofOwner: 1 },
      owners: () => endpointsWithDue(database),
      next: (endpointId) => this.#order.next(endpointId),
      work: (task) => this.#serve(task),
    });
  }

  /** Resumes what is due from the last run. What was in flight then has had its one attempt. */
  async start(): Promise<void> {
    await this.#options.database.transact((tx) => {
      const cut = 'interrupted: the emulator ended during this attempt, and there is but one';
      this.#reportClosed(tx, failAttempted(tx, cut));
    });
    this.#order.open();
    this.#queue.open();
  }

  /** Starts no further attempt (what is held stays due), gives those in flight `graceMs` of real time, then cuts them off. */
  async stop(graceMs: number): Promise<void> {
    const closed = this.#queue.close();
    this.#order.close();
    const reason = new Error('interrupted: the emulator was stopped during this attempt');
    this.#queue.cutWaiting(reason);
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

  /** Has a hold stop a delivery when it comes to be sent. */
  expect(deliveryId: string, holdId: string): void {
    this.#order.expect(deliveryId, holdId);
  }

  /** Deletes an endpoint and fails its due deliveries; returns whether the workspace had it. */
  remove(tx: Transaction, workspaceId: string, endpointId: string): boolean {
    if (!deleteEndpoint(tx, workspaceId, endpointId)) return false;
    const reason = 'the endpoint was deleted before this delivery was sent';
    this.#reportClosed(tx, failDue(tx, endpointId, reason));
    const cut = new Error('the endpoint was deleted during this attempt');
    tx.onCommit(() => this.#queue.cut(cut, ({ owner }) => owner === endpointId));
    return true;
  }

  /**
   * A delivery that a hold releases is sent as written, or with the fault of its release; where that fault means two
   * deliveries, the held one is the first.
   */
  #release(tx: Transaction, due: DueDelivery, { effect }: Release): void {
    // Before the worker is woken for the second one: the held delivery keeps its position.
    tx.onCommit(() => this.#order.free(due));
    const { id } = due;
    const held = readDelivery(tx, id);
    if (!effect || effectKind(effect) !== 'webhook' || held?.status !== 'due') return;
    const [first = null, second] = plannedFaults(effect, true);
    if (first) markFault(tx, id, first);
    const endpoint = second === undefined ? undefined : readEndpoint(tx, held.endpointId);
    if (!endpoint) return;
    const event = { id: held.eventId, accountId: held.accountId };
    addDelivery(tx, this.#options.random, { event, endpoint, redeliveryOf: null, fault: second ?? null });
    tx.onCommit(() => this.wake(endpoint.id));
  }

  async #serve({ item, signal }: Task<Batch>): Promise<void> {
    const deliveries = await this.#order.inOrder(item, signal);
    const sent = (due: DueDelivery) => this.#deliver(due, item.owner, signal);
    if (item.atOnce) await Promise.all(deliveries.map(sent));
    else for (const due of deliveries) await sent(due);
  }

  async #deliver(due: DueDelivery, endpointId: string, signal: AbortSignal): Promise<void> {
    const { database, sender, steering } = this.#options;
    await this.#order.ready(due, signal);
    if (!this.#order.isOpen) return;
    const claimed = await database.transact((tx) => this.#claim(tx, due, endpointId));
    if (!claimed) return;
    if (steering.holds.isSet) steering.holds.timers.started(due.accountId);
    const outcome = await sender.attempt(claimed, signal);
    await database.transact((tx) => this.#record(tx, claimed, outcome));
  }

  #claim(tx: Transaction, { id, fault }: DueDelivery, endpointId: string): Claim | undefined {
    if (fault === 'drop') {
      this.#reportClosed(tx, failUnsent(tx, id, DROPPED));
      return undefined;
    }
    if (fault === 'before_delivery' && this.#crashes(tx, id)) return undefined;
    const claimed = claim(tx, id, this.#options.clock.real());
    const endpoint = readEndpoint(tx, endpointId);
    const event = claimed && readEvent(tx, claimed.eventId);
    if (!claimed || !endpoint || !event) return undefined;
    const { secret } = endpoint;
    const delivery = { ...claimed, deliveryId: id, endpointId, secret, fault };
    if (fault === null) return { ...delivery, eventId: event.id, body: event.body };
    const content = this.#options.steering.outbox.content(tx, event, { id, fault });
    return { ...delivery, ...content, before: readFirstSignature(tx, event.id, endpointId) };
  }

  /** The fault is removed, and that committed, before the crash: the next run makes the attempt. */
  #crashes(tx: Transaction, id: string): boolean {
    clearFault(tx, id);
    const { crashHook } = this.#options.steering;
    if (crashHook) tx.onCommit(crashHook);
    return crashHook !== undefined;
  }

  #record(tx: Transaction, { deliveryId, endpointId }: Claim, outcome: Outcome): void {
    const closed = closeDelivery(tx, deliveryId, outcome);
    if (!closed) return;
    this.#options.steering.outbox.attempted(tx, closed.eventId, outcome);
    writeLastDelivery(tx, endpointId, outcome.responseStatus);
    if (outcome.responseStatus === GONE) this.#removeGone(tx, endpointId);
    this.#reportClosed(tx, [closed]);
  }

  #removeGone(tx: Transaction, endpointId: string): void {
    const endpoint = readEndpoint(tx, endpointId);
    if (endpoint) this.remove(tx, endpoint.workspaceId, endpointId);
  }

  #reportClosed(tx: Transaction, closed: ClosedDelivery[]): void {
    const { listeners } = this.#options;
    for (const delivery of closed) {
      tx.onCommit(() => {
        for (const listener of listeners) listener({ kind: 'delivery', ...delivery });
      });
    }
  }
}

/** What is sent next to an endpoint, its owner in the queue: one after another, or all at once. */
interface Batch {
  /** The id of the first of them. */
  id: string;
  owner: string;
  deliveries: readonly [DueDelivery, ...DueDelivery[]];
  atOnce: boolean;
}

interface OrderParts {
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
class DeliveryOrder {
  readonly #parts: OrderParts;
  /** Endpoints with a delivery that waits for the one after it. */
  readonly #waiting = new Map<string, AbortController>();
  /** The holds of deliveries by delivery id: each is held when it comes to be sent. */
  readonly #caught = new Map<string, string>();
  /** Held deliveries, which the queue skips, and those that were released. */
  readonly #parked = new Set<string>();
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
    for (const known of [this.#caught, this.#parked, this.#released]) known.clear();
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
    this.#parked.delete(id);
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
  async ready({ fault }: DueDelivery, cancelled: AbortSignal): Promise<void> {
    if (fault !== 'late') return;
    await this.#wait(AbortSignal.any([cancelled, this.#closing.signal]));
  }

  /** The first two due deliveries that are not held; starts the waits of those that are. */
  #due(endpointId: string): DueDelivery[] {
    for (;;) {
      const due = readDue(this.#parts.database, endpointId, [...this.#parked]);
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
    this.#parked.add(id);
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
