import type { Clock } from '../clock/clock.ts';
import type { Database } from '../database/database.ts';
import type { Transaction } from '../database/transaction.ts';
import type { CrashHook } from '../faults/applied-fault.ts';
import type { Holds } from '../faults/holds.ts';
import type { Random } from '../random.ts';
import { type Announcement, Announcer } from './announcer.ts';
import { Courier } from './courier.ts';
import { type ClosedDelivery, countOpen, hasOpen } from './delivery-queue-store.ts';
import { readDelivery, type StoredDelivery } from './delivery-store.ts';
import { Dispatcher } from './dispatcher.ts';
import { EndpointBook, type NewEndpoint } from './endpoint-book.ts';
import type { Endpoint } from './endpoint-resource.ts';
import { readEvent } from './event-store.ts';
import type { Envelope, EventType } from './event-types.ts';
import { exampleData } from './example-data.ts';
import { readSamples, type SamplesOptions } from './samples.ts';
import type { UrlGuard } from './url-guard.ts';
import {
  type DeliveryPage,
  type DeliveryRecord,
  type EventRecord,
  listDeliveries,
  listEvents,
  type Page,
  toDeliveryRecord,
} from './webhook-records.ts';

export interface WebhooksOptions {
  database: Database;
  clock: Clock;
  random: Random;
  /** Where deliveries may go. */
  guard: UrlGuard;
  /** Where deliveries are held. */
  holds: Holds;
  /** Told of what kept an attempt from being recorded, such as a full disk. */
  onError: (error: unknown) => void;
  /** Ends the process before a delivery that is marked so. */
  crashHook?: CrashHook | undefined;
  limits?: WebhookLimits;
}

export interface WebhookLimits {
  /** What one attempt may take, in milliseconds of real time: 10 s unless told otherwise. */
  attemptMs?: number;
  /** How many events, and how many deliveries, stay on record: 100,000 unless told otherwise. */
  keptRecords?: number;
}

/** Told after the commit: an event is on record, or a delivery has become final. */
export type WebhookChange =
  | { kind: 'event'; id: string; type: EventType; accountId: string }
  | ({ kind: 'delivery' } & ClosedDelivery);

/** An event that somebody asked for; without `data`, with that of an example. */
export interface Trigger extends Omit<Announcement, 'data'> {
  data?: Record<string, unknown>;
  /** The address on which the URLs of an example are built, without a slash at its end. */
  baseUrl: string;
}

const ATTEMPT_MS = 10_000;
const GRACE_MS = 2_000;

/** Endpoints, the events they hear of, and the deliveries by which they do. */
export class Webhooks {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #endpoints: EndpointBook;
  readonly #announcer: Announcer;
  readonly #dispatcher: Dispatcher;
  readonly #listeners = new Set<(change: WebhookChange) => void>();

  constructor(options: WebhooksOptions) {
    const { database, clock, random, guard, holds, onError, crashHook, limits = {} } = options;
    this.#database = database;
    this.#clock = clock;
    this.#endpoints = new EndpointBook(database, random, guard);
    this.#dispatcher = new Dispatcher({
      clock,
      database,
      courier: new Courier({ clock, guard, budgetMs: limits.attemptMs ?? ATTEMPT_MS }),
      onClosed: (closed) => this.#tell({ kind: 'delivery', ...closed }),
      onError,
      crashHook,
      holds,
      letGo: (tx, due, release) => this.#announcer.letGo(tx, due, release),
    });
    const dispatching = {
      holds,
      wake: (endpointId: string) => this.#dispatcher.wake(endpointId),
      expect: (deliveryId: string, holdId: string) => this.#dispatcher.expect(deliveryId, holdId),
    };
    this.#announcer = new Announcer(random, dispatching, limits.keptRecords);
  }

  /** Sends what is due from the last run, and from now on what becomes due. */
  wake(): Promise<void> {
    return this.#dispatcher.start();
  }

  /** Gives attempts in flight `graceMs`, then cuts them short and records it; what is due stays so. `wake` resumes. */
  rest(graceMs = GRACE_MS): Promise<void> {
    return this.#dispatcher.stop(graceMs);
  }

  /** Resolves when nothing is in flight or about to be. */
  settled(): Promise<void> {
    return this.#dispatcher.settled();
  }

  /** The secret is told here only. Throws `invalid_request` (url), `flow_not_found`, `endpoint_limit_reached`. */
  createEndpoint(workspaceId: string, wanted: NewEndpoint): Promise<{ endpoint: Endpoint; secret: string }> {
    return this.#endpoints.create(workspaceId, wanted);
  }

  /** Newest first, without secrets. */
  listEndpoints(workspaceId: string): Endpoint[] {
    return this.#endpoints.list(workspaceId);
  }

  /** No event reaches its URL again, due or in flight as it may be. Answers false when the workspace has none such. */
  removeEndpoint(workspaceId: string, id: string): Promise<boolean> {
    return this.#database.transact((tx) => this.#dispatcher.remove(tx, workspaceId, id));
  }

  /** Records an event within the transaction of what it tells of; it is sent after the commit. Answers its id. */
  announce(tx: Transaction, announcement: Announcement): string {
    const { id, type, accountId } = this.#announcer.announce(tx, announcement);
    tx.onCommit(() => this.#tell({ kind: 'event', id, type, accountId }));
    return id;
  }

  /** Sends a made-up event on the way of the real ones; answers its id. */
  trigger({ baseUrl, data, ...rest }: Trigger): Promise<string> {
    const now = this.#clock.now();
    const told = data ?? exampleData({ type: rest.type, baseUrl, now });
    return this.#database.transact((tx) => this.announce(tx, { ...rest, data: told }));
  }

  /** Sends the same id and bytes once more. Throws `not_found`, or `conflict` when the endpoint is gone. */
  async redeliver(deliveryId: string): Promise<DeliveryRecord> {
    const again = await this.#database.transact((tx) => {
      const id = this.#announcer.redeliver(tx, deliveryId);
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

  /** One delivery with the envelope that it carries, if it is on record. */
  findDelivery(id: string): (DeliveryRecord & { envelope: Envelope }) | undefined {
    const delivery = readDelivery(this.#database, id);
    const event = delivery && readEvent(this.#database, delivery.eventId);
    return event && { ...toDeliveryRecord(delivery), envelope: JSON.parse(event.body) };
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

  /** Calls `listener` after each commit that brought a change; the answer ends it. */
  observe(listener: (change: WebhookChange) => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  #tell(change: WebhookChange): void {
    for (const listener of this.#listeners) listener(change);
  }
}
