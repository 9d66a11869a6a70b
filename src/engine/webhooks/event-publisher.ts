import { unixSeconds } from '../../base/clock/clock.ts';
import { nextId, relatedId } from '../../base/database/id-store.ts';
import type { Transaction } from '../../base/database/transaction.ts';
import { EmulatorError, quoted } from '../../base/errors.ts';
import type { Random } from '../../base/random.ts';
import type { JobFaults } from '../faults/applied-fault.ts';
import { applyChangeToEnvelope } from '../faults/compatible-changes.ts';
import type { Holds } from '../faults/holds.ts';
import { plannedDeliveryFaults } from './apply-delivery-fault.ts';
import {
  addDelivery,
  type ClosedDelivery,
  deleteOldDeliveries,
  deleteOldEvents,
  events,
  type NewDelivery,
  readDelivery,
  type StoredDelivery,
  type StoredEvent,
} from './delivery-store.ts';
import { isSubscribed, readEndpoint, readEndpoints } from './endpoint-store.ts';
import type { Envelope, ServiceEventType } from './event-schemas.ts';

export type WebhookChange =
  | { kind: 'event'; id: string; type: ServiceEventType; accountId: string }
  | ({ kind: 'delivery' } & ClosedDelivery);

interface NewEvent
  extends Pick<StoredEvent, 'type' | 'workspaceId' | 'accountId'>,
    Partial<Pick<StoredEvent, 'flowId' | 'runId' | 'jobId' | 'requestId'>> {
  data: Record<string, unknown>;
  /** The faults of the request that led to the event: null if it has none, undefined if no request led to the event. */
  faults?: JobFaults | null;
}

interface PublisherParts {
  random: Random;
  holds: Holds;
  /** Tells the sender that the delivery waits for the hold. */
  expect(deliveryId: string, holdId: string): void;
  wake(endpointId: string): void;
  onChange(change: WebhookChange): void;
  /** How many events and how many deliveries stay on record. */
  kept: number;
}

/** The call that a hold is matched against if no request led to the event. */
const NO_REQUEST = {
  surface: 'service' as const,
  path: '',
  method: '',
  takes: 1,
  test: undefined,
  announces: true,
  streamed: false,
  directives: {},
};

/** Old records are looked for once per 100 events, because that takes time. */
const FORGET_EVERY = 100;
/** The most deliveries that are removed together: more than 25 endpoints receive from 100 events. */
const MAX_FORGOTTEN = 5000;

export class EventPublisher {
  readonly #parts: PublisherParts;

  constructor(parts: PublisherParts) {
    this.#parts = parts;
  }

  /**
   * Records an event and one due delivery per subscribed endpoint, in the transaction of the change that it reports.
   * Deliveries start after the commit. Returns the event's id.
   */
  publish(tx: Transaction, newEvent: NewEvent): string {
    const event = this.#eventOf(tx, newEvent);
    const position = events.insert(tx, event);
    if (position % FORGET_EVERY === 0) this.#forget(tx, position);
    const { id, type, accountId } = event;
    tx.onCommit(() => this.#parts.onChange({ kind: 'event', id, type, accountId }));
    const subscribers = readEndpoints(tx, event.workspaceId).filter((endpoint) => isSubscribed(endpoint, event));
    const hold = this.#holdOf(newEvent, event);
    const faults = newEvent.faults ? plannedDeliveryFaults(newEvent.faults) : [null];
    // The newest endpoint is listed first, and the oldest one receives the event first.
    for (const endpoint of subscribers.reverse()) {
      for (const fault of faults) this.#add(tx, { event, endpoint, redeliveryOf: null, fault }, hold);
    }
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

  #add(tx: Transaction, delivery: NewDelivery, hold?: string): string {
    const id = addDelivery(tx, this.#parts.random, delivery);
    if (hold !== undefined) tx.onCommit(() => this.#parts.expect(id, hold));
    tx.onCommit(() => this.#parts.wake(delivery.endpoint.id));
    return id;
  }

  #forget(tx: Transaction, newest: number): void {
    const { kept } = this.#parts;
    deleteOldDeliveries(tx, kept, MAX_FORGOTTEN);
    deleteOldEvents(tx, newest - kept, MAX_FORGOTTEN);
  }

  /** The hold of the request that led to the event. Without a request, a hold can match the account and the body. */
  #holdOf({ faults }: NewEvent, { accountId, body }: Pick<StoredEvent, 'accountId' | 'body'>): string | undefined {
    const hasRequest = faults !== undefined;
    if (hasRequest || !this.#parts.holds.isSet) return faults?.hold;
    return this.#parts.holds.catch({ ...NO_REQUEST, accountId, text: body })?.fault?.takes?.[0]?.faults?.hold;
  }

  #eventOf(tx: Transaction, newEvent: NewEvent): Omit<StoredEvent, 'position'> {
    const { type, workspaceId, accountId, data } = newEvent;
    const { flowId = null, runId = null, jobId = null, requestId = null } = newEvent;
    // The id of a job's only event has the digits of the job's id.
    const id = jobId ? relatedId(jobId, 'event') : nextId(tx, this.#parts.random, 'event', accountId);
    const envelope: Envelope = { id, type, created: unixSeconds(tx.now), data };
    const body = JSON.stringify(applyChangeToEnvelope(envelope, newEvent.faults?.change));
    return { id, workspaceId, accountId, type, flowId, runId, jobId, requestId, body, created: tx.now };
  }
}

function endpointGone(id: string): EmulatorError {
  return new EmulatorError(
    'conflict',
    `The endpoint ${id} of this delivery was deleted. Create a new endpoint with POST /v1/webhooks and send a new event with POST /_emulator/events/trigger.`,
  );
}

export function noDelivery(id: string): EmulatorError {
  return new EmulatorError('not_found', `There is no delivery ${quoted(id)}. GET /_emulator/deliveries lists them.`);
}
