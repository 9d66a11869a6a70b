import type { Clock } from '../../base/clock/clock.ts';
import type { Database } from '../../base/database/database.ts';
import type { Random } from '../../base/random.ts';
import type { CrashHook } from '../faults/applied-fault.ts';
import type { Holds } from '../faults/holds.ts';
import { DeliveryWorker } from './delivery-worker.ts';
import { Endpoints } from './endpoints.ts';
import { EventPublisher } from './event-publisher.ts';
import { type Outbox, plainOutbox } from './outbox.ts';
import { DeliverySender } from './send-delivery.ts';
import type { WebhookListener } from './unsent-store.ts';
import type { UrlGuard } from './url-guard.ts';

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

const ATTEMPT_MS = 10_000;

/** Endpoints, events, and the deliveries of events to endpoints. */
export interface Webhooks {
  readonly endpoints: Endpoints;
  readonly events: EventPublisher;
  readonly deliveries: DeliveryWorker;
  /** Calls `listener` after the commit of each change; the returned function removes it. */
  observe(listener: WebhookListener): () => void;
}

export function openWebhooks(options: WebhooksOptions): Webhooks {
  const { database, clock, random, guard, steering, onError, limits = {} } = options;
  const { holds, crashHook, outbox = plainOutbox } = steering;
  const listeners = new Set<WebhookListener>();
  const deliveries = new DeliveryWorker({
    ...{ clock, database, random, steering: { holds, outbox, crashHook }, onError, listeners },
    sender: new DeliverySender({ clock, guard, limitMs: limits.attemptMs ?? ATTEMPT_MS }),
  });
  return {
    endpoints: new Endpoints(database, random, guard),
    events: new EventPublisher({ random, holds, outbox, worker: deliveries, listeners, kept: limits.keptRecords }),
    deliveries,
    observe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
