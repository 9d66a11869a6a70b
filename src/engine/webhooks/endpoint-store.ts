import { deleteSecret, writeSecret } from '../../base/database/id-store.ts';
import type { Reader, Transaction } from '../../base/database/transaction.ts';
import { isFlowEvent, type ServiceEventType } from './event-schemas.ts';

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

export interface EndpointRow extends Omit<StoredEndpoint, 'events'> {
  events: string;
}

export const ENDPOINT_COLUMNS = `id, workspace_id AS workspaceId, url, events, flow_id AS flowId,
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

export function endpointOf(row: EndpointRow): StoredEndpoint {
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
