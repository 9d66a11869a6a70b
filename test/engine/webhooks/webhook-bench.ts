import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach } from 'vitest';
import { Database } from '../../../src/base/database/database.ts';
import { Random } from '../../../src/base/random.ts';
import { FaultWaits } from '../../../src/engine/faults/fault-waits.ts';
import { Holds } from '../../../src/engine/faults/holds.ts';
import {
  createEndpoint,
  type EndpointView,
  readEndpointsOfWorkspace,
  toEndpointView,
} from '../../../src/engine/webhooks/endpoint-store.ts';
import type { ServiceEventType } from '../../../src/engine/webhooks/event-schemas.ts';
import { UrlGuard, type UrlGuardOptions } from '../../../src/engine/webhooks/url-guard.ts';
import { countOpenDeliveries } from '../../../src/engine/webhooks/webhook-list-store.ts';
import {
  type DeliveryPageQuery,
  type DeliveryRecord,
  type EventRecord,
  listDeliveries,
  listEvents,
  type RecordPageQuery,
} from '../../../src/engine/webhooks/webhook-records.ts';
import {
  type EventOrDeliveryChange,
  WEBHOOK_LIMITS,
  Webhooks,
  type WebhooksOptions,
} from '../../../src/engine/webhooks/webhooks.ts';
import { Receiver, type Reply } from '../../support/receiver.ts';
import { HandClock } from './hand-clock.ts';

/** Options of the webhooks and of the URL guard that a test changes. */
type BenchOptions = Partial<Omit<WebhooksOptions, 'limits'> & UrlGuardOptions> & {
  limits?: Partial<typeof WEBHOOK_LIMITS>;
};

const open = new Set<WebhookBench>();

/** Opens a bench that the end of the test closes. */
export async function openBench(options: BenchOptions = {}): Promise<WebhookBench> {
  const bench = await WebhookBench.open(options);
  open.add(bench);
  return bench;
}

/** A bench with a receiver, and an endpoint at it for image events. */
export async function openDelivery({ reply, ...options }: BenchOptions & { reply?: Reply } = {}) {
  const bench = await openBench(options);
  const receiver = await bench.receiver({ reply });
  return { bench, receiver, ...(await bench.endpoint(receiver.origin)) };
}

afterEach(async () => {
  const benches = [...open];
  open.clear();
  await Promise.all(benches.map((bench) => bench.close()));
});

/** Everything that a test of webhooks needs, on its own database. */
export class WebhookBench {
  readonly clock = new HandClock();
  readonly folder = mkdtempSync(path.join(tmpdir(), 'webhooks-'));
  readonly database: Database;
  readonly errors: unknown[] = [];
  readonly changes: EventOrDeliveryChange[] = [];
  webhooks: Webhooks;
  readonly #options: BenchOptions;
  readonly #receivers: Receiver[] = [];
  readonly #watchers = new Set<() => void>();

  private constructor(options: BenchOptions) {
    this.#options = options;
    const file = path.join(this.folder, 'state.db');
    this.database = new Database({ file, durable: false, clock: this.clock });
    this.webhooks = this.build();
  }

  static async open(options: BenchOptions = {}): Promise<WebhookBench> {
    const bench = new WebhookBench(options);
    await bench.addWorkspace('ws_1', ['acct_1', 'acct_2']);
    await bench.addWorkspace('ws_2', ['acct_3']);
    await bench.webhooks.start();
    return bench;
  }

  build(changed: BenchOptions = {}): Webhooks {
    const { database, clock } = this;
    const options = {
      clock,
      random: new Random(),
      strict: false,
      isReachable: false,
      forwards: new Map(),
      ...this.#options,
      ...changed,
    };
    const webhooks = new Webhooks({
      database,
      guard: new UrlGuard(options),
      holds: new Holds(options),
      waits: new FaultWaits(options.clock),
      onError: (error: unknown) => this.errors.push(error),
      ...options,
      limits: { ...WEBHOOK_LIMITS, ...options.limits },
    });
    webhooks.observe((change) => {
      this.changes.push(change);
      for (const watcher of this.#watchers) watcher();
    });
    return webhooks;
  }

  /** Resolves once `count` deliveries have become final. */
  async closed(count: number): Promise<void> {
    const enough = () => this.changes.filter(({ kind }) => kind === 'delivery').length >= count;
    if (enough()) return;
    await new Promise<void>((resolve) => {
      const watcher = () => {
        if (!enough()) return;
        this.#watchers.delete(watcher);
        resolve();
      };
      this.#watchers.add(watcher);
    });
  }

  /** Resolves once every due delivery is recorded as attempted. */
  async inFlight(): Promise<void> {
    while (this.deliveries().some(({ status }) => status === 'due')) {
      await new Promise(setImmediate);
    }
    // The attempt begins in the turn after its commit.
    await new Promise(setImmediate);
  }

  async receiver(...options: Parameters<typeof Receiver.start>): Promise<Receiver> {
    const receiver = await Receiver.start(...options);
    this.#receivers.push(receiver);
    return receiver;
  }

  /** By default, an endpoint of the first workspace for image events. */
  async endpoint(url: string, more: { events?: ServiceEventType[]; workspaceId?: string } = {}) {
    const { events = ['image.generation.succeeded'], workspaceId = 'ws_1' } = more;
    await this.webhooks.checkUrl(url);
    const parts = { database: this.database, random: new Random() };
    const stored = await createEndpoint(parts, workspaceId, { url, events, flowId: null });
    return { endpoint: toEndpointView(stored), secret: stored.secret };
  }

  /** The endpoints of the first workspace, newest first. */
  endpoints(): EndpointView[] {
    return readEndpointsOfWorkspace(this.database, 'ws_1').map(toEndpointView);
  }

  /** Publishes an image event and returns its id. */
  publish(data: Record<string, unknown> = { id: 'job_1' }, accountId = 'acct_1'): Promise<string> {
    const type = 'image.generation.succeeded' as const;
    return this.database.transact((tx) => this.webhooks.publish(tx, { type, workspaceId: 'ws_1', accountId, data }));
  }

  /** Publishes an image event, and waits until a delivery is final. */
  async deliver(...event: Parameters<WebhookBench['publish']>): Promise<string> {
    const id = await this.publish(...event);
    await this.closed(1);
    return id;
  }

  deliveries(page: DeliveryPageQuery = { limit: 1000 }): DeliveryRecord[] {
    return listDeliveries(this.database, page);
  }

  events(page: RecordPageQuery): EventRecord[] {
    return listEvents(this.database, page);
  }

  pending(): number {
    return countOpenDeliveries(this.database);
  }

  /** The state that a crash in the middle of an attempt leaves. */
  markAttempted(deliveryId: string): Promise<number> {
    return this.database.transact((tx) =>
      tx.run(
        `UPDATE deliveries SET status = 'attempted', attempted_at = ? WHERE id = ?`,
        ...[this.clock.real(), deliveryId],
      ),
    );
  }

  async addWorkspace(id: string, accounts: string[]): Promise<void> {
    await this.database.transact((tx) => {
      tx.run(`INSERT INTO workspaces (id, plan, created) VALUES (?, 'studio', ?)`, id, tx.now);
      for (const account of accounts) {
        tx.run(
          `INSERT INTO accounts (id, workspace_id, name, role, created) VALUES (?, ?, '', 'owner', ?)`,
          ...[account, id, tx.now],
        );
      }
    });
  }

  async close(): Promise<void> {
    const stopped = this.webhooks.stop(0);
    this.clock.elapse(0);
    await stopped;
    await Promise.all(this.#receivers.map((receiver) => receiver.close()));
    this.database.close();
    this.clock.clear();
    rmSync(this.folder, { recursive: true });
  }
}
