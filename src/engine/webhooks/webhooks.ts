import { EventEmitter, once } from 'node:events';
import { type Clock, unixSeconds } from '../../base/clock/clock.ts';
import type { Database } from '../../base/database/database.ts';
import { deriveRelatedId, nextId } from '../../base/database/id-store.ts';
import type { Transaction } from '../../base/database/transaction.ts';
import { EmulatorError, quoted } from '../../base/errors.ts';
import type { Random } from '../../base/random.ts';
import { applyChangeToEnvelope } from '../faults/compatible-changes.ts';
import { effectKind } from '../faults/effects/effect-table.ts';
import type { FaultWaits } from '../faults/fault-waits.ts';
import type { HoldRelease, Holds } from '../faults/holds.ts';
import type { JobFaults } from '../faults/request-faults.ts';
import { type QueueTask, WorkQueue } from '../work-queue.ts';
import { applyFaultToContent, faultOfEachDelivery } from './apply-delivery-fault.ts';
import {
  addDelivery,
  type ClosedDelivery,
  claimDelivery,
  closeDelivery,
  type DeliveryOutcome,
  type DueDelivery,
  deleteOldClosedDeliveries,
  deleteOldEventsWithoutDeliveries,
  events,
  failOpenDeliveries,
  hasOpenDeliveries,
  listEndpointIdsWithDueDeliveries,
  type NewDelivery,
  readDelivery,
  readEvent,
  readFirstSignature,
  readNextTwoDueDeliveries,
  type StoredDelivery,
  type StoredEvent,
  writeDeliveryFault,
} from './delivery-store.ts';
import {
  deleteEndpoint,
  isSubscribed,
  readEndpoint,
  readEndpointsOfWorkspace,
  writeLastDelivery,
} from './endpoint-store.ts';
import type { Envelope, ServiceEventType } from './event-schemas.ts';
import { ParkedDeliveries } from './parked-deliveries.ts';
import { attemptDelivery, type OutgoingDelivery } from './send-delivery.ts';
import type { UrlGuard } from './url-guard.ts';

export interface WebhooksOptions {
  database: Database;
  clock: Clock;
  random: Random;
  guard: UrlGuard;
  holds: Holds;
  waits: FaultWaits;
  /** Called with the error if a delivery cannot be read, claimed or recorded, for example because the disk is full. */
  onError: (error: unknown) => void;
  limits: typeof WEBHOOK_LIMITS;
}

export const WEBHOOK_LIMITS = {
  /** The time limit of an attempt, in milliseconds of real time. */
  attemptMs: 10_000,
  keptRecords: 100_000,
};

const GRACE_MS = 2_000;
const CONCURRENCY = 64;
const GONE = 410;

interface Claim extends OutgoingDelivery {
  endpointId: string;
}

export type EventOrDeliveryChange =
  | { kind: 'event'; id: string; type: ServiceEventType; accountId: string }
  | ({ kind: 'delivery' } & ClosedDelivery);

interface NewEvent
  extends Pick<StoredEvent, 'type' | 'workspaceId' | 'accountId'>,
    Partial<Pick<StoredEvent, 'flowId' | 'runId' | 'jobId' | 'requestId'>> {
  data: Record<string, unknown>;
  /**
   * The faults of the request that led to the event: null if it has none, and for a manual flow run. Undefined for a
   * test event, which no request ordered. Holds then match the event itself.
   */
  faults?: JobFaults | null;
}

/** A hold is matched against this if no request led to the event. */
const NO_REQUEST = {
  destination: 'service' as const,
  path: '',
  method: '',
  takeCount: 1,
  test: undefined,
  announces: true,
  streamed: false,
  directives: {},
};

/** Old records are looked for once per 100 events, because the search takes time. */
const FORGET_EVERY = 100;
/** The most deliveries, and the most events, that are removed together. 100 events to 25 endpoints, each twice, are as many. */
const MAX_FORGOTTEN = 5000;

/** Publishes events, and sends due deliveries in order per endpoint. Each has one attempt, recorded before it is made. */
export class Webhooks {
  readonly #parts: WebhooksOptions;
  readonly #queue: WorkQueue<Batch>;
  readonly #changes = new EventEmitter<{ change: [EventOrDeliveryChange] }>().setMaxListeners(0);
  #parked: ParkedDeliveries;

  constructor(parts: WebhooksOptions) {
    const { database, clock, onError } = parts;
    this.#parts = parts;
    this.#queue = new WorkQueue({
      clock,
      onError,
      limits: { all: CONCURRENCY, ofOwner: 1 },
      owners: () => listEndpointIdsWithDueDeliveries(database),
      next: (endpointId) => nextBatch(endpointId, readNextTwoDueDeliveries(database, endpointId, this.#parked.ids)),
      work: (task) => this.#serve(task),
    });
    this.#parked = this.#createParked();
  }

  /**
   * Sends due deliveries, and starts to watch for new ones. A delivery that was in flight when the process ended has
   * had its only attempt, so it fails.
   */
  async start(): Promise<void> {
    await this.#parts.database.transact((tx) => {
      const cut = 'interrupted: the emulator ended during this only attempt';
      this.#reportClosed(tx, failOpenDeliveries(tx, cut, { status: 'attempted' }));
    });
    this.#queue.open();
  }

  /**
   * Starts no further attempt, aborts those still in flight after `graceMs` of real time, and records their end. Due
   * deliveries stay due until the next `start`.
   */
  async stop(graceMs = GRACE_MS): Promise<void> {
    const closed = this.#queue.close();
    this.#parked.close();
    this.#parked = this.#createParked();
    const reason = new Error('interrupted: the emulator was stopped during this attempt');
    this.#queue.cutWaiting(reason);
    const cancel = this.#parts.clock.after(graceMs, () => this.#queue.cut(reason));
    await closed;
    cancel();
  }

  /**
   * Records an event in the transaction of the change that it reports. Each subscribed endpoint gets a due delivery,
   * and another one if a fault adds it. Deliveries start after the commit. Returns the event's id.
   */
  publish(tx: Transaction, newEvent: NewEvent): string {
    const event = this.#eventOf(tx, newEvent);
    const position = events.insert(tx, event);
    if (position % FORGET_EVERY === 0) this.#forget(tx, position);
    const { id, type, accountId } = event;
    tx.onCommit(() => this.#changes.emit('change', { kind: 'event', id, type, accountId }));
    const subscribers = readEndpointsOfWorkspace(tx, event.workspaceId).filter((endpoint) =>
      isSubscribed(endpoint, event),
    );
    const hold = this.#holdOf(newEvent, event);
    const faults = newEvent.faults ? faultOfEachDelivery(newEvent.faults) : [null];
    // The newest endpoint is listed first, and the oldest one receives the event first.
    for (const endpoint of subscribers.reverse()) {
      for (const fault of faults) this.#add(tx, { event, endpoint, redeliveryOf: null, fault }, hold);
    }
    return id;
  }

  /** Sends the event again, without the fault. Throws `not_found`, or `conflict` if the endpoint was deleted. */
  redeliver(tx: Transaction, deliveryId: string): StoredDelivery {
    const before = readDelivery(tx, deliveryId);
    if (!before) throw deliveryNotFoundError(deliveryId);
    const endpoint = readEndpoint(tx, before.endpointId);
    if (!endpoint) throw endpointGone(before.endpointId);
    const event = { id: before.eventId, accountId: before.accountId };
    const id = this.#add(tx, { event, endpoint, redeliveryOf: before.id, fault: null });
    return readDelivery(tx, id) as StoredDelivery;
  }

  settled(): Promise<void> {
    return this.#queue.settled();
  }

  checkUrl(url: string): Promise<void> {
    return this.#parts.guard.check(url);
  }

  /**
   * Fails the due deliveries of the endpoint, and cuts off those in flight, so that nothing reaches the URL afterwards.
   * Returns whether the workspace had the endpoint.
   */
  removeEndpoint(workspaceId: string, id: string): Promise<boolean> {
    return this.#parts.database.transact((tx) => this.#remove(tx, workspaceId, id));
  }

  /** Resolves when no delivery of these events is due or in flight. Rejects with the signal's reason. */
  async untilDelivered(eventIds: readonly string[], signal: AbortSignal): Promise<void> {
    while (hasOpenDeliveries(this.#parts.database, eventIds)) {
      await once(this.#changes, 'change', { signal }).catch(() => signal.throwIfAborted());
    }
  }

  observe(listener: (change: EventOrDeliveryChange) => void): () => void {
    this.#changes.on('change', listener);
    return () => this.#changes.off('change', listener);
  }

  #add(tx: Transaction, delivery: NewDelivery, hold?: string): string {
    const id = addDelivery(tx, this.#parts.random, delivery);
    if (hold !== undefined) tx.onCommit(() => this.#parked.expect(id, hold));
    tx.onCommit(() => this.#queue.wake(delivery.endpoint.id));
    return id;
  }

  #forget(tx: Transaction, newest: number): void {
    const { keptRecords } = this.#parts.limits;
    deleteOldClosedDeliveries(tx, keptRecords, MAX_FORGOTTEN);
    deleteOldEventsWithoutDeliveries(tx, newest - keptRecords, MAX_FORGOTTEN);
  }

  /** The faults of a request name the hold of its event. For an event without a request, a hold can match account and body. */
  #holdOf({ faults }: NewEvent, { accountId, body }: Pick<StoredEvent, 'accountId' | 'body'>): string | undefined {
    if (faults !== undefined) return faults?.hold;
    if (!this.#parts.holds.isSet) return undefined;
    return this.#parts.holds.catch({ ...NO_REQUEST, accountId, text: body })?.laterHolds?.jobs?.[0]?.hold;
  }

  #eventOf(tx: Transaction, newEvent: NewEvent): Omit<StoredEvent, 'position'> {
    const { type, workspaceId, accountId, data } = newEvent;
    const { flowId = null, runId = null, jobId = null, requestId = null } = newEvent;
    // The id of a job's only event has the digits of the job's id.
    const id = jobId ? deriveRelatedId(jobId, 'event') : nextId(tx, this.#parts.random, 'event', accountId);
    const envelope: Envelope = { id, type, created: unixSeconds(tx.now), data };
    const body = JSON.stringify(applyChangeToEnvelope(envelope, newEvent.faults?.change));
    return { id, workspaceId, accountId, type, flowId, runId, jobId, requestId, body, created: tx.now };
  }

  /** Deliveries that have to wait are set aside, and the queue takes them again later. */
  async #serve(task: QueueTask<Batch>): Promise<void> {
    const { owner, deliveries } = task.item;
    const ready = deliveries.filter((due) => !this.#parked.setAside(due, owner));
    await Promise.all(ready.map((due) => this.#deliver(due, task)));
    this.#parked.noteSent(owner, ready);
  }

  async #deliver(due: DueDelivery, task: QueueTask<Batch>): Promise<void> {
    const { database, waits } = this.#parts;
    if (due.fault === 'late') await this.#parked.waitLate(task.signal);
    if (!this.#queue.isOpen) return;
    const claimed = await database.transact((tx) => this.#claim(tx, due, task.item.owner));
    if (!claimed) return;
    waits.noteActivity(due.accountId);
    const outcome = await attemptDelivery(this.#parts, claimed, task.signal);
    while (!(await this.#tryToRecord(claimed, outcome, task.signal))) await this.#queue.untilRetry(task);
  }

  /** If the outcome cannot be written, only the writing is tried again, not the attempt. True if no try follows. */
  async #tryToRecord(claimed: Claim, outcome: DeliveryOutcome, { aborted }: AbortSignal): Promise<boolean> {
    try {
      await this.#parts.database.transact((tx) => this.#record(tx, claimed, outcome));
      return true;
    } catch (error) {
      this.#parts.onError(error);
      return aborted;
    }
  }

  #claim(tx: Transaction, { id, fault }: DueDelivery, endpointId: string): Claim | undefined {
    if (fault === 'drop') {
      const reason = 'drop: a fault rule kept this delivery from being sent';
      this.#reportClosed(tx, failOpenDeliveries(tx, reason, { id, status: 'due' }));
      return undefined;
    }
    const claimed = claimDelivery(tx, id, this.#parts.clock.real());
    const endpoint = readEndpoint(tx, endpointId);
    const event = claimed && readEvent(tx, claimed.eventId);
    if (!claimed || !endpoint || !event) return undefined;
    const { secret } = endpoint;
    const delivery = { ...claimed, deliveryId: id, endpointId, secret, fault };
    const own = { eventId: event.id, body: event.body };
    if (fault === null) return { ...delivery, ...own };
    return {
      ...delivery,
      ...applyFaultToContent(own, fault, id),
      before: readFirstSignature(tx, event.id, endpointId),
    };
  }

  #record(tx: Transaction, { deliveryId, endpointId }: Claim, outcome: DeliveryOutcome): void {
    const closed = closeDelivery(tx, deliveryId, outcome);
    if (!closed) return;
    writeLastDelivery(tx, endpointId, outcome.responseStatus);
    if (outcome.responseStatus === GONE) this.#removeGone(tx, endpointId);
    this.#reportClosed(tx, [closed]);
  }

  #removeGone(tx: Transaction, endpointId: string): void {
    const endpoint = readEndpoint(tx, endpointId);
    if (endpoint) this.#remove(tx, endpoint.workspaceId, endpointId);
  }

  #reportClosed(tx: Transaction, closed: ClosedDelivery[]): void {
    for (const delivery of closed) {
      tx.onCommit(() => this.#changes.emit('change', { kind: 'delivery', ...delivery }));
    }
  }

  #remove(tx: Transaction, workspaceId: string, endpointId: string): boolean {
    if (!deleteEndpoint(tx, workspaceId, endpointId)) return false;
    const reason = 'the endpoint was deleted before this delivery was sent';
    this.#reportClosed(tx, failOpenDeliveries(tx, reason, { endpointId, status: 'due' }));
    const cut = new Error('the endpoint was deleted during this attempt');
    tx.onCommit(() => this.#queue.cut(cut, ({ owner }) => owner === endpointId));
    return true;
  }

  /** If the fault of the release sends two deliveries, the held one is the first. */
  #release(tx: Transaction, due: DueDelivery, { effect }: HoldRelease): void {
    // Registered first, so that after the commit the held delivery is free before the queue wakes for the second one.
    tx.onCommit(() => this.#parked.free(due));
    const { id } = due;
    const held = readDelivery(tx, id);
    if (!effect || effectKind(effect) !== 'webhook' || held?.status !== 'due') return;
    const [first = null, second] = faultOfEachDelivery(effect);
    if (first) writeDeliveryFault(tx, id, first);
    const endpoint = second === undefined ? undefined : readEndpoint(tx, held.endpointId);
    if (!endpoint) return;
    const event = { id: held.eventId, accountId: held.accountId };
    this.#add(tx, { event, endpoint, redeliveryOf: null, fault: second ?? null });
  }

  #createParked(): ParkedDeliveries {
    const { database, holds, waits } = this.#parts;
    return new ParkedDeliveries({
      holds,
      waits,
      wake: (endpointId) => this.#queue.wake(endpointId),
      onRelease: (due, release) => database.transact((tx) => this.#release(tx, due, release)),
    });
  }
}

/** One delivery, or the two that a `twin` fault sends at once. */
interface Batch {
  id: string;
  owner: string;
  deliveries: readonly DueDelivery[];
}

function nextBatch(owner: string, [first, second]: readonly DueDelivery[]): Batch | undefined {
  if (!first) return undefined;
  const isTwin = second?.fault === 'twin' && second.eventId === first.eventId;
  return { id: first.id, owner, deliveries: isTwin ? [first, second] : [first] };
}

function endpointGone(id: string): EmulatorError {
  return new EmulatorError(
    'conflict',
    `The endpoint ${id} of this delivery was deleted. Create a new endpoint with POST /v1/webhooks and send a new event with POST /_emulator/events/trigger.`,
  );
}

export function deliveryNotFoundError(id: string): EmulatorError {
  return new EmulatorError('not_found', `There is no delivery ${quoted(id)}. GET /_emulator/deliveries lists them.`);
}
