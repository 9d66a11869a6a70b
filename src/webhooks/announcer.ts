import { unixSeconds } from '../clock/clock.ts';
import { nextId } from '../database/sequence-store.ts';
import type { Transaction } from '../database/transaction.ts';
import { EmulatorError } from '../errors.ts';
import type { JobFaults } from '../faults/applied-fault.ts';
import { effectKind } from '../faults/effects/effect-table.ts';
import type { Release } from '../faults/hold.ts';
import type { Holds } from '../faults/holds.ts';
import { idBeside } from '../ids.ts';
import type { Random } from '../random.ts';
import { type DeliveryFault, owedFaults } from './delivery-fault.ts';
import { markFault } from './delivery-queue-store.ts';
import { forgetDeliveries, insertDelivery, readDelivery } from './delivery-store.ts';
import { readEndpoint, readEndpoints, type StoredEndpoint } from './endpoint-store.ts';
import { forgetEvents, insertEvent, type StoredEvent } from './event-store.ts';
import { type Envelope, type EventType, isFlowEvent } from './event-types.ts';

/** Something that happened and is to be told. */
export interface Announcement {
  type: EventType;
  workspaceId: string;
  /** Whose event it is: the job's owner or the run's payer. */
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
  /** What the request that led to it was struck by: spoils the deliveries of this event. */
  faults?: JobFaults | null;
}

/** One delivery to be made: of an event, to an endpoint. */
interface Address {
  event: Pick<StoredEvent, 'id' | 'accountId'>;
  endpoint: Pick<StoredEndpoint, 'id' | 'url'>;
  redeliveryOf: string | null;
  fault: DeliveryFault | null;
  /** The hold that catches it. */
  hold?: string | undefined;
}

/** Whom new deliveries are told, after the commit. */
export interface Dispatching {
  /** Where what nobody's request led to is caught. */
  holds: Holds;
  wake(endpointId: string): void;
  expect(deliveryId: string, holdId: string): void;
}

/** An event that somebody asked for, as a hold sees it. */
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
/** Those that are too many go by so many events at once: one by one, each event would pay for the search. */
const FORGET_EVERY = 100;
/** In one transaction: with 25 endpoints a hundred events are 2,500 deliveries. */
const MOST_FORGOTTEN = 5000;

/** Writes events with what is thereby due. */
export class Announcer {
  readonly #kept: number;
  readonly #random: Random;
  readonly #to: Dispatching;

  /** `kept`: how many events, and how many deliveries, stay on record. */
  constructor(random: Random, to: Dispatching, kept = MOST_RECORDS) {
    this.#kept = kept;
    this.#random = random;
    this.#to = to;
  }

  /** Records the event, subscribed to or not, and one due delivery for each endpoint that wants it. */
  announce(tx: Transaction, announcement: Announcement): StoredEvent {
    const event = this.#eventOf(tx, announcement);
    const position = insertEvent(tx, event);
    if (position % FORGET_EVERY === 0) this.#forget(tx, position);
    const wanting = readEndpoints(tx, event.workspaceId).filter((one) => wants(one, event));
    const hold = this.#holdOf(announcement, event);
    wanting.reverse().forEach((endpoint, position) => {
      for (const fault of owedFaults(announcement.faults, position === 0))
        this.#owe(tx, { event, endpoint, redeliveryOf: null, fault, hold });
    });
    return event;
  }

  /**
   * Makes the event of a delivery due once more, to the same endpoint and without its fault; answers the new one's id.
   * Throws `not_found`, or `conflict` when the endpoint is gone.
   */
  redeliver(tx: Transaction, deliveryId: string): string {
    const before = readDelivery(tx, deliveryId);
    if (!before) throw noDelivery(deliveryId);
    const endpoint = readEndpoint(tx, before.endpointId);
    if (!endpoint) throw endpointGone(before.endpointId);
    const event = { id: before.eventId, accountId: before.accountId };
    return this.#owe(tx, { event, endpoint, redeliveryOf: before.id, fault: null });
  }

  /** Keeps record of the newest events and deliveries, as the journal does of requests; what is owed stays. */
  #forget(tx: Transaction, newest: number): void {
    forgetDeliveries(tx, this.#kept, MOST_FORGOTTEN);
    forgetEvents(tx, newest - this.#kept, MOST_FORGOTTEN);
  }

  /**
   * What a hold lets go of comes as it was to come, or spoilt in the way it was let go with: with one delivery more,
   * the held one is the first of the two.
   */
  letGo(tx: Transaction, { id }: { id: string }, { effect }: Release): void {
    const held = readDelivery(tx, id);
    if (!effect || effectKind(effect) !== 'webhook' || held?.status !== 'due') return;
    const [first = null, more] = owedFaults(effect, true);
    if (first) markFault(tx, id, first);
    const endpoint = more === undefined ? undefined : readEndpoint(tx, held.endpointId);
    const event = { id: held.eventId, accountId: held.accountId };
    if (endpoint) this.#owe(tx, { event, endpoint, redeliveryOf: null, fault: more ?? null });
  }

  /** What a request led to was caught with it; the rest is caught by account and by what the event says. */
  #holdOf({ faults }: Announcement, { accountId, body }: StoredEvent): string | undefined {
    const { holds } = this.#to;
    if (faults !== undefined || !holds.isSet) return faults?.hold;
    const [hold] = holds.catch({ ...NO_REQUEST, accountId, text: body })?.deliveries ?? [];
    return hold;
  }

  #owe(tx: Transaction, { event, endpoint, redeliveryOf, fault, hold }: Address): string {
    const { accountId } = event;
    const id = nextId(tx, this.#random, 'delivery', accountId);
    const target = { endpointId: endpoint.id, url: endpoint.url };
    insertDelivery(tx, { id, eventId: event.id, accountId, redeliveryOf, fault, ...target });
    if (hold !== undefined) tx.onCommit(() => this.#to.expect(id, hold));
    tx.onCommit(() => this.#to.wake(endpoint.id));
    return id;
  }

  #eventOf(tx: Transaction, announcement: Announcement): StoredEvent {
    const { type, workspaceId, accountId, data } = announcement;
    const { flowId = null, runId = null, jobId = null, requestId = null } = announcement;
    const id = jobId ? idBeside(jobId, 'event') : nextId(tx, this.#random, 'event', accountId);
    const envelope: Envelope = { id, type, created: unixSeconds(tx.now), data };
    const body = JSON.stringify(envelope);
    const of = { flowId, runId, jobId, requestId };
    return { id, workspaceId, accountId, type, ...of, body, created: tx.now };
  }
}

/** An endpoint with a flow hears of that flow's runs and of nothing else. */
function wants({ events, flowId }: StoredEndpoint, event: StoredEvent): boolean {
  if (!events.includes(event.type)) return false;
  return flowId === null || (isFlowEvent(event.type) && flowId === event.flowId);
}

export function noDelivery(id: string): EmulatorError {
  return new EmulatorError(
    'not_found',
    `There is no delivery "${id.slice(0, 80)}". GET /_emulator/deliveries lists them.`,
  );
}

function endpointGone(id: string): EmulatorError {
  return new EmulatorError(
    'conflict',
    `The endpoint ${id} of this delivery was deleted, and nothing reaches its URL again. Create it anew with POST /v1/webhooks and send a new event with POST /_emulator/events/trigger.`,
  );
}
