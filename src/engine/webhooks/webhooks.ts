import type { Clock } from '../../base/clock/clock.ts';
import type { Database } from '../../base/database/database.ts';
import type { Random } from '../../base/random.ts';
import type { CrashHook } from '../faults/applied-fault.ts';
import type { Holds } from '../faults/holds.ts';
import { readDelivery, type StoredDelivery } from './delivery-store.ts';
import { DeliveryWorker } from './delivery-worker.ts';
import { type Endpoint, Endpoints, type NewEndpoint } from './endpoints.ts';
import { EventPublisher, type NewEvent } from './event-publisher.ts';
import type { Envelope } from './event-schemas.ts';
import { type Outbox, plainOutbox } from './outbox.ts';
import { readEvent } from './outbox-store.ts';
import { exampleData, readSamples, type SamplesOptions } from './samples.ts';
import { DeliverySender } from './send-delivery.ts';
import { countOpen, hasOpen, type WebhookListener } from './unsent-store.ts';
import type { UrlGuard } from './url-guard.ts';
import {
  asSent,
  type DeliveryPage,
  type DeliveryRecord,
  type EventRecord,
  listDeliveries,
  listEvents,
  type Page,
  toDeliveryRecord,
  type WholeDelivery,
} from './webhook-records.ts';

export interface WebhooksOptions {
  database: Database;
  clock: Clock;
  random: Random;
  /** Where deliveries may go. */
  guard: UrlGuard;
  steering: Steering;
  /** Called with what kept an attempt from being recorded, such as a full disk. */
  onError: (error: unknown) => void;
  limits?: WebhookLimits;
}

/** What a test has deliveries do. */
export interface Steering {
  /** Where they are held. */
  holds: Holds;
  /** What becomes of their events; sent as they are unless given. */
  outbox?: Outbox;
  /** Ends the process before a delivery with that fault. */
  crashHook?: CrashHook | undefined;
}

export interface WebhookLimits {
  /** The time limit of one attempt, in milliseconds of real time; 10 s by default. */
  attemptMs?: number;
  /** How many events, and how many deliveries, stay on record; 100,000 by default. */
  keptRecords?: number;
}

/** An event to be sent on request; without `data`, with that of an example. */
export interface Trigger extends Omit<NewEvent, 'data'> {
  data?: Record<string, unknown>;
  /** The base of the URLs of an example, without a slash at its end. */
  baseUrl: string;
}

const ATTEMPT_MS = 10_000;
const GRACE_MS = 2_000;

/** Endpoints, events, and the deliveries of events to endpoints. */
export class Webhooks {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #endpoints: Endpoints;
  /** Records events. */
  readonly events: EventPublisher;
  readonly #worker: DeliveryWorker;
  readonly #listeners = new Set<WebhookListener>();

  constructor(options: WebhooksOptions) {
    const { database, clock, random, guard, steering, onError, limits = {} } = options;
    const { holds, crashHook, outbox = plainOutbox } = steering;
    this.#database = database;
    this.#clock = clock;
    this.#endpoints = new Endpoints(database, random, guard);
    this.#worker = new DeliveryWorker({
      ...{ clock, database, random, steering: { holds, outbox, crashHook }, onError },
      sender: new DeliverySender({ clock, guard, limitMs: limits.attemptMs ?? ATTEMPT_MS }),
      listeners: this.#listeners,
    });
    this.events = new EventPublisher({
      ...{ random, holds, outbox, worker: this.#worker },
      listeners: this.#listeners,
      kept: limits.keptRecords,
    });
  }

  /** Sends what is due from the last run, and from now on what becomes due. */
  wake(): Promise<void> {
    return this.#worker.start();
  }

  /** Gives attempts in flight `graceMs`, then cuts them off and records that; what is due stays due. `wake` resumes. */
  rest(graceMs = GRACE_MS): Promise<void> {
    return this.#worker.stop(graceMs);
  }

  /** Resolves when nothing is in flight or about to be. */
  settled(): Promise<void> {
    return this.#worker.settled();
  }

  /** Only this answer has the secret. Throws `invalid_request` (url), `flow_not_found`, `endpoint_limit_reached`. */
  createEndpoint(workspaceId: string, wanted: NewEndpoint): Promise<{ endpoint: Endpoint; secret: string }> {
    return this.#endpoints.create(workspaceId, wanted);
  }

  /** Newest first, without secrets. */
  listEndpoints(workspaceId: string): Endpoint[] {
    return this.#endpoints.list(workspaceId);
  }

  /** Nothing reaches its URL again, not even what is due or in flight. Returns false when the workspace has no such endpoint. */
  removeEndpoint(workspaceId: string, id: string): Promise<boolean> {
    return this.#database.transact((tx) => this.#worker.remove(tx, workspaceId, id));
  }

  /** Publishes a test event like a real one; returns its id. */
  trigger({ baseUrl, data, ...rest }: Trigger): Promise<string> {
    const now = this.#clock.now();
    const eventData = data ?? exampleData({ type: rest.type, baseUrl, now });
    return this.#database.transact((tx) => this.events.publish(tx, { ...rest, data: eventData }));
  }

  /** Sends the same id and bytes once more. Throws `not_found`, or `conflict` when the endpoint was deleted. */
  async redeliver(deliveryId: string): Promise<DeliveryRecord> {
    const again = await this.#database.transact((tx) => {
      const id = this.events.redeliver(tx, deliveryId);
      return readDelivery(tx, id) as StoredDelivery;
    });
    return toDeliveryRecord(again);
  }

  /** Up to 3 real envelopes or one example. Throws `invalid_request` (flow_id), `flow_not_found`. */
  samples(options: SamplesOptions): Envelope[] {
    return readSamples(this.#database, this.#clock.now(), options);
  }

  listEvents(page: Page): EventRecord[] {
    return listEvents(this.#database, page);
  }

  listDeliveries(page: DeliveryPage): DeliveryRecord[] {
    return listDeliveries(this.#database, page);
  }

  /** One delivery with its envelope, if it is on record. */
  findDelivery(id: string): WholeDelivery | undefined {
    const delivery = readDelivery(this.#database, id);
    const event = delivery && readEvent(this.#database, delivery.eventId);
    return event && { ...toDeliveryRecord(delivery), ...asSent(event) };
  }

  /** Resolves when no delivery of these events is due or in flight; rejects with the signal's reason. */
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

  /** Whether a delivery of this event is still due or in flight. */
  isDelivering(eventId: string): boolean {
    return hasOpen(this.#database, [eventId]);
  }

  /** How many deliveries are due or in flight, of all accounts or of one. */
  pending(accountId?: string): number {
    return countOpen(this.#database, accountId);
  }

  /** Calls `listener` after the commit of each change; the returned function removes it. */
  observe(listener: WebhookListener): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }
}
