import type { Clock } from '../../base/clock/clock.ts';
import type { Database } from '../../base/database/database.ts';
import type { Random } from '../../base/random.ts';
import type { CrashHook } from '../faults/applied-fault.ts';
import type { Holds } from '../faults/holds.ts';
import { NO_VIOLATIONS, type Violations } from '../violations.ts';
import { hasOpen, type WebhookListener } from './delivery-store.ts';
import { DeliveryWorker } from './delivery-worker.ts';
import { Endpoints } from './endpoints.ts';
import { EventPublisher } from './event-publisher.ts';
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
