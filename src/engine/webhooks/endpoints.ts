import { z } from 'zod';
import { isoTime } from '../../base/clock/clock.ts';
import type { Database } from '../../base/database/database.ts';
import { nextId, nextNumber, SECRET_PREFIX } from '../../base/database/id-store.ts';
import type { Reader } from '../../base/database/reader.ts';
import type { Transaction } from '../../base/database/transaction.ts';
import { EmulatorError, quoted } from '../../base/errors.ts';
import type { Random } from '../../base/random.ts';
import {
  countEndpoints,
  findFlowOfWorkspace,
  insertEndpoint,
  readEndpoints,
  type StoredEndpoint,
} from './endpoint-store.ts';
import { EVENT_TYPES, type ServiceEventType } from './event-schemas.ts';
import type { UrlGuard } from './url-guard.ts';

/** The endpoint in responses of `/v1`, which never contain its secret. */
export const endpointShape = z.strictObject({
  object: z.literal('webhook'),
  id: z.string(),
  url: z.string(),
  events: z.array(z.enum(EVENT_TYPES)),
  /** If set, the endpoint receives the events of this flow's runs and no others. */
  flowId: z.string().nullable(),
  enabled: z.literal(true),
  lastDeliveryAt: z.string().nullable(),
  lastStatus: z.int().nullable(),
  createdAt: z.string(),
});

export type Endpoint = z.infer<typeof endpointShape>;

function toEndpoint(stored: StoredEndpoint): Endpoint {
  const { id, url, events, flowId, lastDeliveryAt, lastStatus, created } = stored;
  return {
    object: 'webhook',
    id,
    url,
    events,
    flowId,
    enabled: true,
    lastDeliveryAt: lastDeliveryAt === null ? null : isoTime(lastDeliveryAt),
    lastStatus,
    createdAt: isoTime(created),
  };
}

export function endpointWithOwner(stored: StoredEndpoint): Endpoint & { workspace_id: string } {
  return { ...toEndpoint(stored), workspace_id: stored.workspaceId };
}

const MAX_ENDPOINTS = 25;

interface NewEndpoint {
  url: string;
  events: ServiceEventType[];
  flowId: string | null;
  /** Without it, a new secret is made. */
  secret?: string | undefined;
}

export class Endpoints {
  readonly #database: Database;
  readonly #random: Random;
  readonly #guard: UrlGuard;

  constructor(database: Database, random: Random, guard: UrlGuard) {
    this.#database = database;
    this.#random = random;
    this.#guard = guard;
  }

  /** Throws `invalid_request` for a URL that deliveries must not reach. */
  check(url: string): Promise<void> {
    return this.#guard.check(url);
  }

  /** `url` has passed `check`. Throws `flow_not_found`, `endpoint_limit_reached`. */
  async create(workspaceId: string, wanted: NewEndpoint): Promise<{ endpoint: Endpoint; secret: string }> {
    const stored = await this.#database.transact((tx) => this.#insert(tx, workspaceId, wanted));
    return { endpoint: toEndpoint(stored), secret: stored.secret };
  }

  list(workspaceId: string): Endpoint[] {
    return readEndpoints(this.#database, workspaceId).map(toEndpoint);
  }

  #insert(tx: Transaction, workspaceId: string, wanted: NewEndpoint): StoredEndpoint {
    if (wanted.flowId !== null) requireFlow(tx, workspaceId, wanted.flowId);
    if (countEndpoints(tx, workspaceId) >= MAX_ENDPOINTS) throw tooMany();
    return insertEndpoint(tx, {
      id: nextId(tx, this.#random, 'endpoint', workspaceId),
      workspaceId,
      url: wanted.url,
      events: [...new Set(wanted.events)],
      flowId: wanted.flowId,
      secret: wanted.secret ?? this.#newSecret(tx, workspaceId),
      created: tx.now,
    });
  }

  #newSecret(tx: Transaction, workspaceId: string): string {
    const n = nextNumber(tx, workspaceId, 'secret');
    return `${SECRET_PREFIX.signing}${this.#random.token(workspaceId, 'secret', n)}`;
  }
}

export function requireFlow(db: Reader, workspaceId: string, id: string): { id: string; name: string } {
  const flow = findFlowOfWorkspace(db, workspaceId, id);
  if (flow) return flow;
  throw new EmulatorError(
    'flow_not_found',
    `flow_id must be the id of a flow of this workspace, not ${quoted(id)}. GET /_emulator/flows lists them. Leave flow_id out for all flows.`,
    { param: 'flow_id' },
  );
}

function tooMany(): EmulatorError {
  return new EmulatorError(
    'endpoint_limit_reached',
    `This workspace has ${MAX_ENDPOINTS} webhook endpoints, which is the limit. Delete one with DELETE /v1/webhooks/{id} first.`,
  );
}
