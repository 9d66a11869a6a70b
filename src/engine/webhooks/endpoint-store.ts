import { z } from 'zod';
import { isoTime } from '../../base/clock/clock.ts';
import type { Database } from '../../base/database/database.ts';
import {
  deleteSecret,
  nextId,
  nextSequenceNumber,
  SECRET_PREFIXES,
  writeSecret,
} from '../../base/database/id-store.ts';
import { conditionsWithValues } from '../../base/database/list-queries.ts';
import type { Reader } from '../../base/database/reader.ts';
import { integer, json, type RowOf, rowId, table, text } from '../../base/database/table.ts';
import type { Transaction } from '../../base/database/transaction.ts';
import { EmulatorError, quoted } from '../../base/errors.ts';
import type { Random } from '../../base/random.ts';
import { EVENT_TYPES, isFlowEvent, type ServiceEventType } from './event-schemas.ts';

export const endpoints = table('endpoints', {
  position: rowId,
  id: text,
  workspaceId: text,
  url: text,
  events: json<ServiceEventType[]>(),
  flowId: text.nullable(),
  lastDeliveryAt: integer.nullable(),
  lastStatus: integer.nullable(),
  created: integer,
});

interface Secret {
  secret: string;
}

export type StoredEndpoint = RowOf<typeof endpoints> & Secret;

const ENDPOINT = `SELECT ${endpoints.list}, (SELECT value FROM secrets WHERE name = endpoints.id) AS secret FROM endpoints`;

export function readEndpoint(db: Reader, id: string): StoredEndpoint | undefined {
  return endpoints.get<Secret>(db, `${ENDPOINT} WHERE id = ?`, id);
}

const OF_WORKSPACE = `${ENDPOINT} WHERE workspace_id = ? ORDER BY position DESC`;

export function readEndpointsOfWorkspace(db: Reader, workspaceId: string): StoredEndpoint[] {
  return endpoints.all<Secret>(db, OF_WORKSPACE, workspaceId);
}

export function findEndpointsByUrlPart(db: Reader, path: string): StoredEndpoint[] {
  return endpoints.all<Secret>(db, `${ENDPOINT} WHERE instr(url, ?) > 0 ORDER BY position DESC`, path);
}

export function listEndpoints(
  db: Reader,
  page: { workspaceId: string | undefined; before: number; limit: number },
): StoredEndpoint[] {
  const { workspaceId, before, limit } = page;
  const [owned, owner] = conditionsWithValues(['workspace_id = ?', workspaceId]);
  const sql = `${ENDPOINT} WHERE ${owned}position < ? ORDER BY position DESC LIMIT ?`;
  return endpoints.all<Secret>(db, sql, ...owner, before, limit);
}

/** `status` is null if no response came. */
export function writeLastDelivery(tx: Transaction, id: string, status: number | null): void {
  tx.run('UPDATE endpoints SET last_delivery_at = ?, last_status = ? WHERE id = ?', tx.now, status, id);
}

export function isSubscribed(
  { events, flowId }: StoredEndpoint,
  event: { type: ServiceEventType; flowId: string | null },
): boolean {
  if (!events.includes(event.type)) return false;
  return flowId === null || (isFlowEvent(event.type) && flowId === event.flowId);
}

/** An endpoint without its secret, which only the response to its creation contains. */
export const endpointViewSchema = z.strictObject({
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

export type EndpointView = z.infer<typeof endpointViewSchema>;

export function toEndpointView(stored: StoredEndpoint): EndpointView {
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

export function toEndpointViewWithWorkspace(stored: StoredEndpoint): EndpointView & { workspace_id: string } {
  return { ...toEndpointView(stored), workspace_id: stored.workspaceId };
}

const MAX_ENDPOINTS = 25;

type NewEndpoint = Pick<StoredEndpoint, 'url' | 'events' | 'flowId'> & {
  secret?: string | undefined;
};

/** `UrlGuard` must have checked the URL before. Throws `flow_not_found` or `endpoint_limit_reached`. */
export function createEndpoint(
  { database, random }: { database: Database; random: Random },
  workspaceId: string,
  { url, events, flowId, secret: given }: NewEndpoint,
): Promise<StoredEndpoint> {
  return database.transact((tx) => {
    if (flowId !== null) requireFlowOfWorkspace(tx, workspaceId, flowId);
    requireRoom(tx, workspaceId);
    const id = nextId(tx, random, 'endpoint', workspaceId);
    const secret = given ?? newSecret(tx, random, workspaceId);
    const row = { id, workspaceId, url, events: [...new Set(events)], flowId, created: tx.now };
    writeSecret(tx, id, secret);
    return { lastDeliveryAt: null, lastStatus: null, ...row, secret, position: endpoints.insert(tx, row) };
  });
}

function newSecret(tx: Transaction, random: Random, workspaceId: string): string {
  return SECRET_PREFIXES.signing + random.token(workspaceId, 'secret', nextSequenceNumber(tx, workspaceId, 'secret'));
}

function requireRoom(db: Reader, workspaceId: string): void {
  const sql = 'SELECT COUNT(*) AS n FROM endpoints WHERE workspace_id = ?';
  if ((db.get<{ n: number }>(sql, workspaceId)?.n ?? 0) < MAX_ENDPOINTS) return;
  throw new EmulatorError(
    'endpoint_limit_reached',
    `This workspace has ${MAX_ENDPOINTS} webhook endpoints, which is the limit. Delete one with DELETE /v1/webhooks/{id} first.`,
  );
}

export function deleteEndpoint(tx: Transaction, workspaceId: string, id: string): boolean {
  const sql = 'DELETE FROM endpoints WHERE id = ? AND workspace_id = ?';
  if (tx.run(sql, id, workspaceId) === 0) return false;
  deleteSecret(tx, id);
  return true;
}

export function requireFlowOfWorkspace(db: Reader, workspaceId: string, id: string): { id: string; name: string } {
  const sql = 'SELECT id, name FROM flows WHERE id = ? AND workspace_id = ? AND deleted = 0';
  const flow = db.get<{ id: string; name: string }>(sql, id, workspaceId);
  if (flow) return flow;
  throw new EmulatorError(
    'flow_not_found',
    `flow_id must be the id of a flow of this workspace, not ${quoted(id)}. GET /_emulator/flows lists them. Leave flow_id out for all flows.`,
    { param: 'flow_id' },
  );
}
