import { unixSeconds } from '../clock/clock.ts';
import { nextId } from '../database/sequence-store.ts';
import type { Transaction } from '../database/transaction.ts';
import type { Random } from '../random.ts';
import { insertDelivery } from './delivery-store.ts';
import { readEndpoints, type StoredEndpoint } from './endpoint-store.ts';
import { insertEvent, type StoredEvent } from './event-store.ts';
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
  /** The job that ended. */
  jobId?: string;
}

/** One delivery to be made: of an event, to an endpoint. */
export interface Address {
  event: Pick<StoredEvent, 'id' | 'accountId'>;
  endpoint: Pick<StoredEndpoint, 'id' | 'url'>;
  redeliveryOf: string | null;
}

/** Writes events with what is thereby due; `wake` is told, after the commit, which endpoint is owed something. */
export class Announcer {
  readonly #random: Random;
  readonly #wake: (endpointId: string) => void;

  constructor(random: Random, wake: (endpointId: string) => void) {
    this.#random = random;
    this.#wake = wake;
  }

  /** Records the event, subscribed to or not, and one due delivery for each endpoint that wants it. */
  announce(tx: Transaction, announcement: Announcement): StoredEvent {
    const event = this.#eventOf(tx, announcement);
    insertEvent(tx, event);
    const wanting = readEndpoints(tx, event.workspaceId).filter((one) => wants(one, event));
    for (const endpoint of wanting.reverse()) this.owe(tx, { event, endpoint, redeliveryOf: null });
    return event;
  }

  /** Makes a delivery due; answers its id. */
  owe(tx: Transaction, { event, endpoint, redeliveryOf }: Address): string {
    const { accountId } = event;
    const id = nextId(tx, this.#random, 'delivery', accountId);
    const target = { endpointId: endpoint.id, url: endpoint.url };
    insertDelivery(tx, { id, eventId: event.id, accountId, redeliveryOf, ...target });
    tx.onCommit(() => this.#wake(endpoint.id));
    return id;
  }

  #eventOf(tx: Transaction, announcement: Announcement): StoredEvent {
    const { type, workspaceId, accountId, data, flowId = null, jobId = null } = announcement;
    const id = nextId(tx, this.#random, 'event', accountId);
    const envelope: Envelope = { id, type, created: unixSeconds(tx.now), data };
    const body = JSON.stringify(envelope);
    return { id, workspaceId, accountId, type, flowId, jobId, body, created: tx.now };
  }
}

/** `flowId` narrows flow events to one flow, and has no say in those of renders. */
function wants(endpoint: StoredEndpoint, event: StoredEvent): boolean {
  if (!endpoint.events.includes(event.type)) return false;
  return !isFlowEvent(event.type) || endpoint.flowId === null || endpoint.flowId === event.flowId;
}
