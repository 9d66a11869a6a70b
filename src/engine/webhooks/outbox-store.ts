import { deleteSecret, nextId, writeSecret } from '../../base/database/id-store.ts';
import { givenConditions } from '../../base/database/list-queries.ts';
import type { Reader, Transaction } from '../../base/database/transaction.ts';
import type { Random } from '../../base/random.ts';
import type { DeliveryFault } from './delivery-fault.ts';
import { isFlowEvent, type ServiceEventType } from './event-schemas.ts';

/** `created` is in milliseconds of the emulator's clock. */
export interface StoredEvent {
  id: string;
  workspaceId: string;
  accountId: string;
  type: ServiceEventType;
  flowId: string | null;
  runId: string | null;
  jobId: string | null;
  requestId: string | null;
  body: string;
  created: number;
  /** The violations that changed the event, and the correct text. */
  violation?: string | null;
  original?: string | null;
}

export interface DueDelivery {
  id: string;
  eventId: string;
  accountId: string;
  fault: DeliveryFault | null;
}

interface ClaimedDelivery {
  eventId: string;
  url: string;
}

/** `signature` is null if nothing was sent, `responseStatus` if no response came. */
export interface DeliveryOutcome {
  status: 'delivered' | 'failed';
  signature: string | null;
  durationMs: number;
  /** Whether a connection was made. The whole delivery is then sent at once. */
  isReached: boolean;
  responseStatus: number | null;
  responseBody: string | null;
  error: string | null;
}

export function insertEvent(tx: Transaction, event: StoredEvent): number {
  return tx.insert(
    `INSERT INTO events (id, workspace_id, account_id, type, flow_id, run_id, job_id, request_id, body, created, violation, original)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    event.id,
    event.workspaceId,
    event.accountId,
    event.type,
    event.flowId,
    event.runId,
    event.jobId,
    event.requestId,
    event.body,
    event.created,
    event.violation ?? null,
    event.original ?? null,
  );
}

export interface DeliveryOf {
  event: Pick<StoredEvent, 'id' | 'accountId'>;
  endpoint: Pick<StoredEndpoint, 'id' | 'url'>;
  redeliveryOf: string | null;
  fault: DeliveryFault | null;
}

export function addDelivery(tx: Transaction, random: Random, delivery: DeliveryOf): string {
  const { event, endpoint, redeliveryOf, fault } = delivery;
  const id = nextId(tx, random, 'delivery', event.accountId);
  tx.run(
    `INSERT INTO deliveries
       (id, event_id, account_id, endpoint_id, url, status, redelivery_of, fault, created)
     VALUES (?, ?, ?, ?, ?, 'due', ?, ?, ?)`,
    id,
    event.id,
    event.accountId,
    endpoint.id,
    endpoint.url,
    redeliveryOf,
    fault,
    tx.now,
  );
  return id;
}

/** The two oldest due deliveries of an endpoint, without the waiting ones. */
export function readDue(db: Reader, endpointId: string, parked: readonly string[] = []): DueDelivery[] {
  const others = parked.length === 0 ? '' : 'AND id NOT IN (SELECT value FROM json_each(?))';
  return db.all<DueDelivery>(
    `SELECT id, event_id AS eventId, account_id AS accountId, fault FROM deliveries
     WHERE ${OPEN} AND endpoint_id = ? AND status = 'due' ${others} ORDER BY position LIMIT 2`,
    endpointId,
    ...(parked.length === 0 ? [] : [JSON.stringify(parked)]),
  );
}

/** Records the attempt before it is made. `real` is the machine's time. Undefined if the delivery is no longer due. */
export function claim(tx: Transaction, id: string, real: number): ClaimedDelivery | undefined {
  return tx.get<ClaimedDelivery>(
    `UPDATE deliveries SET status = 'attempted', attempted_at = ?
     WHERE id = ? AND status = 'due' RETURNING event_id AS eventId, url`,
    real,
    id,
  );
}

/** Undefined if the delivery is not in flight. */
export function closeDelivery(tx: Transaction, id: string, outcome: DeliveryOutcome): ClosedDelivery | undefined {
  return tx.get<ClosedDelivery>(
    `UPDATE deliveries SET status = ?, signature = ?, duration_ms = ?, response_status = ?,
       response_body = ?, error = ?
     WHERE id = ? AND status = 'attempted'
     RETURNING ${CLOSED}`,
    outcome.status,
    outcome.signature,
    outcome.durationMs,
    outcome.responseStatus,
    outcome.responseBody,
    outcome.error,
    id,
  );
}

export interface ClosedDelivery {
  id: string;
  eventId: string;
  type: ServiceEventType;
  accountId: string;
  status: 'delivered' | 'failed';
}

/** SQLite uses the partial index of open deliveries only if the query repeats these words. */
export const OPEN = `status IN ('due', 'attempted')`;

export const CLOSED = `id, event_id AS eventId, account_id AS accountId, status,
  (SELECT type FROM events WHERE events.id = event_id) AS type`;

export const EVENT_COLUMNS = `id, workspace_id AS workspaceId, account_id AS accountId, type,
  flow_id AS flowId, run_id AS runId, job_id AS jobId, request_id AS requestId, body, created, violation AS violation, original`;

export function readEvent(db: Reader, id: string): StoredEvent | undefined {
  return db.get<StoredEvent>(`SELECT ${EVENT_COLUMNS} FROM events WHERE id = ?`, id);
}

/** Times are in milliseconds of the emulator's clock. */
export interface StoredEndpoint {
  id: string;
  workspaceId: string;
  url: string;
  events: ServiceEventType[];
  flowId: string | null;
  secret: string;
  lastDeliveryAt: number | null;
  lastStatus: number | null;
  created: number;
}

interface EndpointRow extends Omit<StoredEndpoint, 'events'> {
  events: string;
}

const ENDPOINT_COLUMNS = `id, workspace_id AS workspaceId, url, events, flow_id AS flowId,
  (SELECT value FROM secrets WHERE name = endpoints.id) AS secret, last_delivery_at AS lastDeliveryAt, last_status AS lastStatus, created`;

export function readEndpoint(db: Reader, id: string): StoredEndpoint | undefined {
  const row = db.get<EndpointRow>(`SELECT ${ENDPOINT_COLUMNS} FROM endpoints WHERE id = ?`, id);
  return row && endpointOf(row);
}

const OF_WORKSPACE = `SELECT ${ENDPOINT_COLUMNS} FROM endpoints WHERE workspace_id = ? ORDER BY position DESC`;

export function readEndpoints(db: Reader, workspaceId: string): StoredEndpoint[] {
  return db.all<EndpointRow>(OF_WORKSPACE, workspaceId).map(endpointOf);
}

/** `status` is null if no response came. */
export function writeLastDelivery(tx: Transaction, id: string, status: number | null): void {
  tx.run('UPDATE endpoints SET last_delivery_at = ?, last_status = ? WHERE id = ?', tx.now, status, id);
}

function endpointOf(row: EndpointRow): StoredEndpoint {
  return { ...row, events: JSON.parse(row.events) };
}

/** An endpoint with a flow receives the events of that flow's runs and no others. */
export function subscribes(
  { events, flowId }: StoredEndpoint,
  event: { type: ServiceEventType; flowId: string | null },
): boolean {
  if (!events.includes(event.type)) return false;
  return flowId === null || (isFlowEvent(event.type) && flowId === event.flowId);
}

export function insertEndpoint(tx: Transaction, endpoint: StoredEndpoint): void {
  tx.run(
    `INSERT INTO endpoints (id, workspace_id, url, events, flow_id, created)
     VALUES (?, ?, ?, ?, ?, ?)`,
    endpoint.id,
    endpoint.workspaceId,
    endpoint.url,
    JSON.stringify(endpoint.events),
    endpoint.flowId,
    endpoint.created,
  );
  writeSecret(tx, endpoint.id, endpoint.secret);
}

export function listEndpoints(
  db: Reader,
  page: { workspaceId: string | undefined; before: number; limit: number },
): StoredEndpoint[] {
  const { workspaceId, before, limit } = page;
  const [owned, owner] = givenConditions(['workspace_id = ?', workspaceId]);
  return db
    .all<EndpointRow>(
      `SELECT ${ENDPOINT_COLUMNS} FROM endpoints WHERE ${owned}position < ?
       ORDER BY position DESC LIMIT ?`,
      ...owner,
      before,
      limit,
    )
    .map(endpointOf);
}

export function countEndpoints(db: Reader, workspaceId: string): number {
  const sql = 'SELECT COUNT(*) AS n FROM endpoints WHERE workspace_id = ?';
  return db.get<{ n: number }>(sql, workspaceId)?.n ?? 0;
}

export function readEndpointsAt(db: Reader, path: string): StoredEndpoint[] {
  return db
    .all<EndpointRow>(`SELECT ${ENDPOINT_COLUMNS} FROM endpoints WHERE instr(url, ?) > 0 ORDER BY position DESC`, path)
    .map(endpointOf);
}

export function deleteEndpoint(tx: Transaction, workspaceId: string, id: string): boolean {
  const sql = 'DELETE FROM endpoints WHERE id = ? AND workspace_id = ?';
  if (tx.run(sql, id, workspaceId) === 0) return false;
  deleteSecret(tx, id);
  return true;
}

export function readFlow(db: Reader, workspaceId: string, id: string): { id: string; name: string } | undefined {
  return db.get('SELECT id, name FROM flows WHERE id = ? AND workspace_id = ? AND deleted = 0', id, workspaceId);
}
