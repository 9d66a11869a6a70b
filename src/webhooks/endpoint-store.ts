import { deleteSecret, writeSecret } from '../database/id-store.ts';
import type { Reader, Transaction } from '../database/transaction.ts';
import { EmulatorError } from '../errors.ts';
import { type EventType, isFlowEvent } from './event-schemas.ts';

/** An endpoint as stored; times in milliseconds of the emulator's clock. */
export interface StoredEndpoint {
  id: string;
  workspaceId: string;
  url: string;
  events: EventType[];
  flowId: string | null;
  secret: string;
  lastDeliveryAt: number | null;
  lastStatus: number | null;
  created: number;
}

interface Row extends Omit<StoredEndpoint, 'events'> {
  events: string;
}

const COLUMNS = `id, workspace_id AS workspaceId, url, events, flow_id AS flowId,
  (SELECT value FROM secrets WHERE name = endpoints.id) AS secret, last_delivery_at AS lastDeliveryAt, last_status AS lastStatus, created`;

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

export function readEndpoint(db: Reader, id: string): StoredEndpoint | undefined {
  const row = db.get<Row>(`SELECT ${COLUMNS} FROM endpoints WHERE id = ?`, id);
  return row && fromRow(row);
}

const OF_WORKSPACE = `SELECT ${COLUMNS} FROM endpoints WHERE workspace_id = ? ORDER BY position DESC`;

/** A workspace's endpoints, newest first. */
export function readEndpoints(db: Reader, workspaceId: string): StoredEndpoint[] {
  return db.all<Row>(OF_WORKSPACE, workspaceId).map(fromRow);
}

/** Endpoints of one workspace or of all, newest first. */
export function listEndpoints(
  db: Reader,
  page: { workspaceId: string | undefined; before: number; limit: number },
): StoredEndpoint[] {
  const { workspaceId, before, limit } = page;
  const owner = workspaceId === undefined ? [] : [workspaceId];
  return db
    .all<Row>(
      `SELECT ${COLUMNS} FROM endpoints WHERE ${owner.length ? 'workspace_id = ? AND' : ''} position < ?
       ORDER BY position DESC LIMIT ?`,
      ...owner,
      before,
      limit,
    )
    .map(fromRow);
}

/** The position of an endpoint in the list. */
export function readEndpointPosition(db: Reader, id: string): number | undefined {
  return db.get<{ position: number }>('SELECT position FROM endpoints WHERE id = ?', id)?.position;
}

export function countEndpoints(db: Reader, workspaceId: string): number {
  const sql = 'SELECT COUNT(*) AS n FROM endpoints WHERE workspace_id = ?';
  return db.get<{ n: number }>(sql, workspaceId)?.n ?? 0;
}

/** Endpoints, of whatever workspace, whose URL has a path in it; newest first. */
export function readEndpointsAt(db: Reader, path: string): StoredEndpoint[] {
  return db
    .all<Row>(`SELECT ${COLUMNS} FROM endpoints WHERE instr(url, ?) > 0 ORDER BY position DESC`, path)
    .map(fromRow);
}

/** Returns whether the workspace had it. */
export function deleteEndpoint(tx: Transaction, workspaceId: string, id: string): boolean {
  const sql = 'DELETE FROM endpoints WHERE id = ? AND workspace_id = ?';
  if (tx.run(sql, id, workspaceId) === 0) return false;
  deleteSecret(tx, id);
  return true;
}

/** `status` is null when no answer came. */
export function writeLastDelivery(tx: Transaction, id: string, status: number | null): void {
  tx.run('UPDATE endpoints SET last_delivery_at = ?, last_status = ? WHERE id = ?', tx.now, status, id);
}

/** The flow of that id, if it is the workspace's. */
export function readFlow(db: Reader, workspaceId: string, id: string): { id: string; name: string } | undefined {
  return db.get('SELECT id, name FROM flows WHERE id = ? AND workspace_id = ?', id, workspaceId);
}

function fromRow(row: Row): StoredEndpoint {
  return { ...row, events: JSON.parse(row.events) };
}

/** An endpoint with a flow gets the events of that flow's runs and nothing else. */
export function subscribes(
  { events, flowId }: StoredEndpoint,
  event: { type: EventType; flowId: string | null },
): boolean {
  if (!events.includes(event.type)) return false;
  return flowId === null || (isFlowEvent(event.type) && flowId === event.flowId);
}

export function endpointGone(id: string): EmulatorError {
  return new EmulatorError(
    'conflict',
    `The endpoint ${id} of this delivery was deleted, and nothing reaches its URL again. Create it anew with POST /v1/webhooks and send a new event with POST /_emulator/events/trigger.`,
  );
}

export function noDelivery(id: string): EmulatorError {
  return new EmulatorError(
    'not_found',
    `There is no delivery "${id.slice(0, 80)}". GET /_emulator/deliveries lists them.`,
  );
}
