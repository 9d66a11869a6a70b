import { unixSeconds } from '../../base/clock/clock.ts';
import { idBeside, nextId } from '../../base/database/id-store.ts';
import type { Transaction } from '../../base/database/transaction.ts';
import type { Random } from '../../base/random.ts';
import type { JobFaults } from '../faults/applied-fault.ts';
import type { Holds } from '../faults/holds.ts';
import { type DeliveryContent, type DeliveryFault, faultyContent, plannedFaults } from './delivery-fault.ts';
import {
  endpointGone,
  forgetDeliveries,
  forgetEvents,
  noDelivery,
  readDelivery,
  type StoredDelivery,
  type WebhookListener,
} from './delivery-store.ts';
import type { Envelope, EventType } from './event-schemas.ts';
import {
  addDelivery,
  type DeliveryOf,
  insertEvent,
  type Outcome,
  readEndpoint,
  readEndpoints,
  type StoredEndpoint,
  type StoredEvent,
  subscribes,
} from './outbox-store.ts';

/** An event to be published. */
export interface NewEvent {
  type: EventType;
  workspaceId: string;
  /** The account of the event: the job's owner or the run's payer. */
  accountId: string;
  data: Record<string, unknown>;
  /** The flow of a `flow.run.*` event. */
  flowId?: string;
  /** The run of a `flow.run.*` event. */
  runId?: string;
  /** The job that ended: it has one event, whose id has the digits of its own. */
  jobId?: string;
  /** The request that led to the job or run. */
  requestId?: string | null;
  /** The faults of the request that led to the event, which apply to its deliveries. */
  faults?: JobFaults | null;
}

/** An event as it is recorded and sent; a silent one is on record only. */
export interface PublishedEvent {
  event: StoredEvent;
  isSilent: boolean;
}

/** What is sent: `signed` is the body that the signature is of, where that is another. */
export type SignedContent = DeliveryContent & { signed?: string };

/** What becomes of an event on its way to the endpoints of its workspace. */
export interface Outbox {
  publish(tx: Transaction, event: StoredEvent): PublishedEvent;
  /** One delivery to the endpoint for each fault, null for one without; `planned` are those of the request that led to it. */
  deliver(event: StoredEvent, endpoint: StoredEndpoint, planned: (DeliveryFault | null)[]): (DeliveryFault | null)[];
  /** What a delivery with a fault sends. */
  content(tx: Transaction, event: StoredEvent, delivery: { id: string; fault: DeliveryFault }): SignedContent;
  /** In the transaction that records an attempt. */
  attempted(tx: Transaction, eventId: string, outcome: Outcome): void;
}

/** Sends events as they are, with the faults of their requests. */
export const plainOutbox: Outbox = {
  publish: (_tx, event) => ({ event, isSilent: false }),
  deliver: (_event, _endpoint, planned) => planned,
  content: (_tx, { id: eventId, body }, { id, fault }) => faultyContent({ eventId, body }, fault, id),
  attempted() {},
};

export interface PublisherParts {
  random: Random;
  holds: Holds;
  outbox: Outbox;
  /** Sends the deliveries after the commit. */
  worker: { expect(deliveryId: string, holdId: string): void; wake(endpointId: string): void };
  listeners: ReadonlySet<WebhookListener>;
  /** How many events, and how many deliveries, stay on record. */
  kept?: number | undefined;
}

/** What a hold matches against, of an event that no request led to. */
const NO_REQUEST = {
  surface: 'service' as const,
  path: '',
  method: '',
  takes: 1,
  announces: true,
  streamed: false,
  directives: {},
};

/** As many as the journal keeps requests. */
const MOST_RECORDS = 100_000;
/** Old records are deleted once for so many events, as looking for them costs time. */
const FORGET_EVERY = 100;
/** The most that are deleted in one transaction: with 25 endpoints a hundred events have 2,500 deliveries. */
const MOST_FORGOTTEN = 5000;

/** Writes events to the outbox, with the deliveries that they owe to endpoints. */
export class EventPublisher {
  readonly #parts: PublisherParts;

  constructor(parts: PublisherParts) {
    this.#parts = parts;
  }

  /**
   * Records an event in the transaction of what it reports, even without subscribers, and one due delivery for each endpoint
   * that subscribes to it. It is sent after the commit. Returns its id.
   */
  publish(tx: Transaction, newEvent: NewEvent): string {
    const { outbox } = this.#parts;
    const { event, isSilent } = outbox.publish(tx, this.#eventOf(tx, newEvent));
    const position = insertEvent(tx, event);
    if (position % FORGET_EVERY === 0) this.#forget(tx, position);
    const { id, type, accountId } = event;
    tx.onCommit(() => {
      for (const listener of this.#parts.listeners) listener({ kind: 'event', id, type, accountId });
    });
    if (isSilent) return id;
    const subscribers = readEndpoints(tx, event.workspaceId).filter((endpoint) => subscribes(endpoint, event));
    const hold = this.#holdOf(newEvent, event);
    // Oldest endpoint first, as its delivery is the one before which a crash comes.
    subscribers.reverse().forEach((endpoint, position) => {
      const planned = newEvent.faults ? plannedFaults(newEvent.faults, position === 0) : [null];
      for (const fault of outbox.deliver(event, endpoint, planned))
        this.#add(tx, { event, endpoint, redeliveryOf: null, fault }, hold);
    });
    return id;
  }

  /**
   * Makes the event of a delivery due again, to the same endpoint and without the fault; returns the new delivery.
   * Throws `not_found`, or `conflict` when the endpoint was deleted.
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

  /** Deletes the oldest events and deliveries. What is due stays. */
  #forget(tx: Transaction, newest: number): void {
    const { kept = MOST_RECORDS } = this.#parts;
    forgetDeliveries(tx, kept, MOST_FORGOTTEN);
    forgetEvents(tx, newest - kept, MOST_FORGOTTEN);
  }

  /** The hold of the request that led to the event; without a request, a hold that matches the account and the body. */
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
