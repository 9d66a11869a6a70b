import { type Clock, unixSeconds } from '../../base/clock/clock.ts';
import type { Database } from '../../base/database/database.ts';
import { idBeside, nextId } from '../../base/database/id-store.ts';
import type { Transaction } from '../../base/database/transaction.ts';
import type { Random } from '../../base/random.ts';
import type { CrashHook, JobFaults } from '../faults/applied-fault.ts';
import type { Holds } from '../faults/holds.ts';
import { NO_VIOLATIONS, type Violations } from '../violations.ts';
import { plannedFaults } from './delivery-fault.ts';
import {
  endpointGone,
  forgetDeliveries,
  forgetEvents,
  hasOpen,
  noDelivery,
  readDelivery,
  type StoredDelivery,
  type WebhookListener,
} from './delivery-store.ts';
import { DeliveryWorker } from './delivery-worker.ts';
import { Endpoints } from './endpoints.ts';
import type { Envelope, ServiceEventType } from './event-schemas.ts';
import {
  addDelivery,
  type DeliveryOf,
  insertEvent,
  readEndpoint,
  readEndpoints,
  type StoredEvent,
  subscribes,
} from './outbox-store.ts';
import { DeliverySender } from './send-delivery.ts';
import type { UrlGuard } from './url-guard.ts';

export interface WebhooksOptions {
  database: Database;
  clock: Clock;
  random: Random;
  guard: UrlGuard;
  holds: Holds;
  violations?: Violations;
  /** Ends the process, for the fault `before_delivery`; undefined if no supervisor would start it again. */
  crashHook?: CrashHook | undefined;
  /** Called with the error when an attempt cannot be recorded, for example because the disk is full. */
  onError: (error: unknown) => void;
  limits?: WebhookLimits;
}

interface WebhookLimits {
  /** The time limit of one attempt, in milliseconds of real time; 10 s by default. */
  attemptMs?: number;
  /** How many events and how many deliveries stay on record; 100,000 by default. */
  keptRecords?: number;
}

const ATTEMPT_MS = 10_000;
const GRACE_MS = 2_000;

export class Webhooks {
  readonly #database: Database;
  readonly endpoints: Endpoints;
  readonly events: EventPublisher;
  readonly #worker: DeliveryWorker;
  readonly #listeners = new Set<WebhookListener>();

  constructor(options: WebhooksOptions) {
    const { database, clock, random, guard, onError, limits = {} } = options;
    const { holds, crashHook, violations = NO_VIOLATIONS } = options;
    this.#database = database;
    this.endpoints = new Endpoints(database, random, guard);
    this.#worker = new DeliveryWorker({
      clock,
      database,
      random,
      holds,
      violations,
      crashHook,
      onError,
      sender: new DeliverySender({ clock, guard, limitMs: limits.attemptMs ?? ATTEMPT_MS }),
      listeners: this.#listeners,
    });
    this.events = new EventPublisher({
      random,
      holds,
      violations,
      worker: this.#worker,
      listeners: this.#listeners,
      kept: limits.keptRecords,
    });
  }

  /** Sends due deliveries, and starts to watch for new ones. */
  wake(): Promise<void> {
    return this.#worker.start();
  }

  /** Aborts attempts still in flight after `graceMs`, and records that. Due deliveries stay due until `wake`. */
  rest(graceMs = GRACE_MS): Promise<void> {
    return this.#worker.stop(graceMs);
  }

  settled(): Promise<void> {
    return this.#worker.settled();
  }

  /**
   * Cuts off deliveries in flight too, so that nothing reaches the URL afterwards. Returns whether the workspace had
   * the endpoint.
   */
  removeEndpoint(workspaceId: string, id: string): Promise<boolean> {
    return this.#database.transact((tx) => this.#worker.remove(tx, workspaceId, id));
  }

  /** Resolves when no delivery of these events is due or in flight. Rejects with the signal's reason. */
  untilDelivered(eventIds: readonly string[], signal: AbortSignal): Promise<void> {
    if (!hasOpen(this.#database, eventIds)) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const stop = this.observe(() => {
        if (!hasOpen(this.#database, eventIds)) finish(resolve);
      });
      const finish = (settle: () => void) => {
        stop();
        signal.removeEventListener('abort', leave);
        settle();
      };
      const leave = () => finish(() => reject(signal.reason));
      signal.addEventListener('abort', leave);
      if (signal.aborted) leave();
    });
  }

  observe(listener: WebhookListener): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }
}

interface NewEvent {
  type: ServiceEventType;
  workspaceId: string;
  accountId: string;
  data: Record<string, unknown>;
  flowId?: string;
  runId?: string;
  /** A job has one event. The digits of the event's id are those of the job's id. */
  jobId?: string;
  requestId?: string | null;
  /** The faults of the request, which apply to the deliveries of its event. */
  faults?: JobFaults | null;
}

interface PublisherParts {
  random: Random;
  holds: Holds;
  violations: Violations;
  worker: { expect(deliveryId: string, holdId: string): void; wake(endpointId: string): void };
  listeners: ReadonlySet<WebhookListener>;
  kept?: number | undefined;
}

/** The call that a hold is matched against if no request led to the event. */
const NO_REQUEST = {
  surface: 'service' as const,
  path: '',
  method: '',
  takes: 1,
  announces: true,
  streamed: false,
  directives: {},
};

const MOST_RECORDS = 100_000;
/** Looking for old records costs time, so it is done once per 100 events. */
const FORGET_EVERY = 100;
/** 25 endpoints receive 2,500 deliveries of 100 events, so this limit keeps up. */
const MOST_FORGOTTEN = 5000;

class EventPublisher {
  readonly #parts: PublisherParts;

  constructor(parts: PublisherParts) {
    this.#parts = parts;
  }

  /**
   * Records an event and one due delivery per subscribed endpoint, in the transaction of the change that it reports.
   * Deliveries start after the commit. Returns the event's id.
   */
  publish(tx: Transaction, newEvent: NewEvent): string {
    const { violations } = this.#parts;
    const own = this.#eventOf(tx, newEvent);
    const { event, isSilent } = violations.isOn ? violations.events.publish(tx, own) : { event: own, isSilent: false };
    const position = insertEvent(tx, event);
    if (position % FORGET_EVERY === 0) this.#forget(tx, position);
    const { id, type, accountId } = event;
    tx.onCommit(() => {
      for (const listener of this.#parts.listeners) listener({ kind: 'event', id, type, accountId });
    });
    if (isSilent) return id;
    const subscribers = readEndpoints(tx, event.workspaceId).filter((endpoint) => subscribes(endpoint, event));
    const hold = this.#holdOf(newEvent, event);
    // Oldest endpoint first: a `before_delivery` crash comes before its delivery.
    subscribers.reverse().forEach((endpoint, position) => {
      const planned = newEvent.faults ? plannedFaults(newEvent.faults, position === 0) : [null];
      const faults = violations.isOn ? violations.events.deliver(event, endpoint, planned) : planned;
      for (const fault of faults) this.#add(tx, { event, endpoint, redeliveryOf: null, fault }, hold);
    });
    return id;
  }

  /**
   * Sends the event of a delivery again, without its fault. Throws `not_found`, or `conflict` if the endpoint was
   * deleted.
   */
  redeliver(tx: Transaction, deliveryId: string): StoredDelivery {
    const before = readDelivery(tx, deliveryId);
    if (!before) throw noDelivery(deliveryId);
    const endpoint = readEndpoint(tx, before.endpointId);
    if (!endpoint) throw endpointGone(before.endpointId);
    const event = { id: before.eventId, accountId: before.accountId };
    const id = this.#add(tx, { event, endpoint, redeliveryOf: before.id, fault: null });
    return readDelivery(tx, id) as StoredDelivery;
  }

  #add(tx: Transaction, delivery: DeliveryOf, hold?: string): string {
    const id = addDelivery(tx, this.#parts.random, delivery);
    if (hold !== undefined) tx.onCommit(() => this.#parts.worker.expect(id, hold));
    tx.onCommit(() => this.#parts.worker.wake(delivery.endpoint.id));
    return id;
  }

  #forget(tx: Transaction, newest: number): void {
    const { kept = MOST_RECORDS } = this.#parts;
    forgetDeliveries(tx, kept, MOST_FORGOTTEN);
    forgetEvents(tx, newest - kept, MOST_FORGOTTEN);
  }

  /** The hold of the request that led to the event. Without a request, a hold can match the account and the body. */
  #holdOf({ faults }: NewEvent, { accountId, body }: StoredEvent): string | undefined {
    if (faults !== undefined || !this.#parts.holds.isSet) return faults?.hold;
    return this.#parts.holds.catch({ ...NO_REQUEST, accountId, text: body })?.deliveries[0];
  }

  #eventOf(tx: Transaction, newEvent: NewEvent): StoredEvent {
    const { type, workspaceId, accountId, data } = newEvent;
    const { flowId = null, runId = null, jobId = null, requestId = null } = newEvent;
    const id = jobId ? idBeside(jobId, 'event') : nextId(tx, this.#parts.random, 'event', accountId);
    const envelope: Envelope = { id, type, created: unixSeconds(tx.now), data };
    const body = JSON.stringify(envelope);
    return { id, workspaceId, accountId, type, flowId, runId, jobId, requestId, body, created: tx.now };
  }
}
