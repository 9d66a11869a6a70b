import { deleteSecret, writeSecret } from '../../base/database/id-store.ts';
import type { Reader, Transaction } from '../../base/database/transaction.ts';
import { ENDPOINT_COLUMNS, type EndpointRow, endpointOf, type StoredEndpoint } from './outbox-store.ts';

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
  const owner = workspaceId === undefined ? [] : [workspaceId];
  return db
    .all<EndpointRow>(
      `SELECT ${ENDPOINT_COLUMNS} FROM endpoints WHERE ${owner.length ? 'workspace_id = ? AND' : ''} position < ?
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
