import { deleteSecret, writeSecret } from '../../base/database/id-store.ts';
import { conditionsWithValues } from '../../base/database/list-queries.ts';
import type { Reader } from '../../base/database/reader.ts';
import { integer, json, type NewRowOf, type RowOf, rowId, table, text } from '../../base/database/table.ts';
import type { Transaction } from '../../base/database/transaction.ts';
import { isFlowEvent, type ServiceEventType } from './event-schemas.ts';

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

export function readEndpoints(db: Reader, workspaceId: string): StoredEndpoint[] {
  return endpoints.all<Secret>(db, OF_WORKSPACE, workspaceId);
}

export function readEndpointsAt(db: Reader, path: string): StoredEndpoint[] {
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

/** An endpoint with a flow receives the events of that flow's runs and no others. */
export function isSubscribed(
  { events, flowId }: StoredEndpoint,
  event: { type: ServiceEventType; flowId: string | null },
): boolean {
  if (!events.includes(event.type)) return false;
  return flowId === null || (isFlowEvent(event.type) && flowId === event.flowId);
}

export function insertEndpoint(tx: Transaction, endpoint: NewRowOf<typeof endpoints> & Secret): StoredEndpoint {
  const position = endpoints.insert(tx, endpoint);
  writeSecret(tx, endpoint.id, endpoint.secret);
  return { flowId: null, lastDeliveryAt: null, lastStatus: null, ...endpoint, position };
}

export function countEndpoints(db: Reader, workspaceId: string): number {
  const sql = 'SELECT COUNT(*) AS n FROM endpoints WHERE workspace_id = ?';
  return db.get<{ n: number }>(sql, workspaceId)?.n ?? 0;
}

export function deleteEndpoint(tx: Transaction, workspaceId: string, id: string): boolean {
  const sql = 'DELETE FROM endpoints WHERE id = ? AND workspace_id = ?';
  if (tx.run(sql, id, workspaceId) === 0) return false;
  deleteSecret(tx, id);
  return true;
}

export function findFlowOfWorkspace(
  db: Reader,
  workspaceId: string,
  id: string,
): { id: string; name: string } | undefined {
  return db.get('SELECT id, name FROM flows WHERE id = ? AND workspace_id = ? AND deleted = 0', id, workspaceId);
}
