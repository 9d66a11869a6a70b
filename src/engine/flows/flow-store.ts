import { wordConditions } from '../../base/database/list-queries.ts';
import type { Reader, SqlValue, Transaction } from '../../base/database/transaction.ts';
import type { FlowStep } from './definition.ts';

/** `token` is the secret part of the hook URL, `created` is in milliseconds. */
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
  FROM flows WHERE deleted = 0`;

export function findFlow(db: Reader, id: string): Flow | undefined {
  const row = db.get<FlowRow>(`${FLOW} AND id = ?`, id);
  return row && toFlow(row);
}

export type FlowHead = Pick<Flow, 'id' | 'workspaceId' | 'accountId'>;

const HEAD = `SELECT id, workspace_id AS workspaceId, account_id AS accountId FROM flows WHERE deleted = 0`;

export function findFlowHead(db: Reader, id: string): FlowHead | undefined {
  return db.get<FlowHead>(`${HEAD} AND id = ?`, id);
}

export function findFlowByToken(db: Reader, token: string): FlowHead | undefined {
  return db.get<FlowHead>(`${HEAD} AND token = ?`, token);
}

export function readSteps(db: Reader, flowId: string): FlowStep[] {
  const row = db.get<{ steps: string }>('SELECT steps FROM flows WHERE id = ?', flowId);
  return row ? JSON.parse(row.steps) : [];
}

export function flowPosition(db: Reader, id: string): number | undefined {
  return db.get<{ position: number }>('SELECT position FROM flows WHERE id = ?', id)?.position;
}

const SAID = "(id || ' ' || name || ' ' || workspace_id || ' ' || account_id || ' ' || steps)";

/** Newest first. `before` is a position, and `q` contains search words. */
export function listFlows(
  db: Reader,
  page: { accountId?: string | undefined; limit: number; before: number; q?: string | undefined },
): Flow[] {
  const [owned, owner]: [string, SqlValue[]] =
    page.accountId === undefined ? ['', []] : ['AND account_id = ? ', [page.accountId]];
  const [held, words] = wordConditions(SAID, page.q);
  const rows = db.all<FlowRow>(
    `${FLOW} ${owned}AND ${held}position < ? ORDER BY position DESC LIMIT ?`,
    ...owner,
    ...words,
    page.before,
    page.limit,
  );
  return rows.map(toFlow);
}

export type NewFlow = Omit<Flow, 'position' | 'created'>;

export function insertFlow(tx: Transaction, flow: NewFlow): void {
  tx.run(
    'INSERT INTO flows (id, workspace_id, account_id, name, steps, token, created) VALUES (?, ?, ?, ?, ?, ?, ?)',
    flow.id,
    flow.workspaceId,
    flow.accountId,
    flow.name,
    JSON.stringify(flow.steps),
    flow.token,
    tx.now,
  );
}

export function deleteFlow(tx: Transaction, id: string): boolean {
  return tx.run('UPDATE flows SET deleted = 1 WHERE id = ? AND deleted = 0', id) === 1;
}

function toFlow(row: FlowRow): Flow {
  return { ...row, steps: JSON.parse(row.steps) };
}
