import type { Reader, SqlValue, Transaction } from '../database/transaction.ts';

export interface FlowStep {
  nodeId: string;
  type: string;
  params: Record<string, unknown>;
}

/** A flow of a workspace; `token` is the secret part of its inbound address, `created` is in milliseconds. */
export interface Flow {
  position: number;
  id: string;
  workspaceId: string;
  accountId: string;
  name: string;
  steps: FlowStep[];
  token: string;
  created: number;
}

type FlowRow = Omit<Flow, 'steps'> & { steps: string };

const FLOW = `SELECT position, id, workspace_id AS workspaceId, account_id AS accountId, name, steps, token, created
  FROM flows`;

export function findFlow(db: Reader, id: string): Flow | undefined {
  const row = db.get<FlowRow>(`${FLOW} WHERE id = ?`, id);
  return row && toFlow(row);
}

/** Newest first; `before` is the position of the last one seen. */
export function listFlows(
  db: Reader,
  page: { accountId?: string | undefined; limit: number; before: number },
): Flow[] {
  const [where, ...values]: [string, ...SqlValue[]] =
    page.accountId === undefined
      ? ['position < ?', page.before]
      : ['account_id = ? AND position < ?', page.accountId, page.before];
  return db
    .all<FlowRow>(`${FLOW} WHERE ${where} ORDER BY position DESC LIMIT ?`, ...values, page.limit)
    .map(toFlow);
}

export function insertFlow(tx: Transaction, flow: Omit<Flow, 'position' | 'created'>): void {
  tx.run(
    'INSERT INTO flows (id, workspace_id, account_id, name, steps, token, created) VALUES (?, ?, ?, ?, ?, ?, ?)',
    ...[
      flow.id,
      flow.workspaceId,
      flow.accountId,
      flow.name,
      JSON.stringify(flow.steps),
      flow.token,
      tx.now,
    ],
  );
}

/** Answers whether there was such a flow. */
export function deleteFlow(tx: Transaction, id: string): boolean {
  return tx.run('DELETE FROM flows WHERE id = ?', id) === 1;
}

function toFlow(row: FlowRow): Flow {
  return { ...row, steps: JSON.parse(row.steps) };
}
