import type { Reader, SqlValue, Transaction } from '../../base/database/transaction.ts';
import { wordConditions } from '../../base/database/word-search-store.ts';
import type { FlowStep } from './definition.ts';

/** The definition of a flow: a name and steps, without ids of this emulator. */
export interface FlowDefinition {
  name: string;
  steps: FlowStep[];
}

/** A flow of a workspace; `token` is the secret part of its inbound address, `created` is in milliseconds. */
export interface Flow extends FlowDefinition {
  position: number;
  id: string;
  /** The number of its definitions so far. */
  version: number;
  workspaceId: string;
  /** The account that pays for its runs. */
  accountId: string;
  token: string;
  /** Whether new runs may start. */
  enabled: boolean;
  created: number;
}

type FlowRow = Omit<Flow, 'steps' | 'enabled'> & { steps: string; enabled: number };

const FLOW = `SELECT f.position, f.id, f.version, f.workspace_id AS workspaceId, f.account_id AS accountId,
    f.name, v.steps, f.token, f.enabled, f.created
  FROM flows f JOIN flow_versions v ON v.flow_id = f.id AND v.version = f.version`;

export function findFlow(db: Reader, id: string): Flow | undefined {
  const row = db.get<FlowRow>(`${FLOW} WHERE f.id = ?`, id);
  return row && toFlow(row);
}

/** The fields of a flow that starting a run needs; its definition is not read. */
export type FlowHead = Pick<Flow, 'id' | 'version' | 'workspaceId' | 'accountId'> & {
  enabled: number;
};

const HEAD = `SELECT id, version, workspace_id AS workspaceId, account_id AS accountId, enabled FROM flows`;

export function findFlowHead(db: Reader, id: string): FlowHead | undefined {
  return db.get<FlowHead>(`${HEAD} WHERE id = ?`, id);
}

export function findFlowByToken(db: Reader, token: string): FlowHead | undefined {
  return db.get<FlowHead>(`${HEAD} WHERE token = ?`, token);
}

/** The steps of a version, also of a deleted flow. */
export function readSteps(db: Reader, flowId: string, version: number): FlowStep[] {
  const row = db.get<{ steps: string }>(
    'SELECT steps FROM flow_versions WHERE flow_id = ? AND version = ?',
    flowId,
    version,
  );
  return row ? JSON.parse(row.steps) : [];
}

/** The text of a flow that a search covers. */
const SAID = "(f.id || ' ' || f.name || ' ' || f.workspace_id || ' ' || f.account_id || ' ' || v.steps)";

/** Newest first; `before` is the position of the last flow of the page before, `q` words that it has to contain. */
export function listFlows(
  db: Reader,
  page: { accountId?: string | undefined; limit: number; before: number; q?: string | undefined },
): Flow[] {
  const [owned, owner]: [string, SqlValue[]] =
    page.accountId === undefined ? ['', []] : ['f.account_id = ? AND ', [page.accountId]];
  const [held, words] = wordConditions(SAID, page.q);
  const rows = db.all<FlowRow>(
    `${FLOW} WHERE ${owned}${held}f.position < ? ORDER BY f.position DESC LIMIT ?`,
    ...owner,
    ...words,
    page.before,
    page.limit,
  );
  return rows.map(toFlow);
}

export type NewFlow = Pick<Flow, 'id' | 'workspaceId' | 'accountId' | 'token' | keyof FlowDefinition>;

export function insertFlow(tx: Transaction, flow: NewFlow): void {
  tx.run(
    'INSERT INTO flows (id, workspace_id, account_id, name, token, created) VALUES (?, ?, ?, ?, ?, ?)',
    flow.id,
    flow.workspaceId,
    flow.accountId,
    flow.name,
    flow.token,
    tx.now,
  );
  insertVersion(tx, { ...flow, version: 1 });
}

/** Adds a definition to a flow; started runs keep theirs. */
export function changeDefinition(tx: Transaction, id: string, definition: FlowDefinition): void {
  const next = tx.get<{ version: number }>(
    'UPDATE flows SET name = ?, version = version + 1 WHERE id = ? RETURNING version',
    definition.name,
    id,
  );
  if (next) insertVersion(tx, { ...definition, id, version: next.version });
}

/** Undefined fields stay as they are. */
export function changeFlow(
  tx: Transaction,
  id: string,
  change: { enabled?: boolean | undefined; accountId?: string | undefined },
): void {
  const { enabled, accountId } = change;
  tx.run(
    'UPDATE flows SET enabled = COALESCE(?, enabled), account_id = COALESCE(?, account_id) WHERE id = ?',
    enabled === undefined ? null : Number(enabled),
    accountId ?? null,
    id,
  );
}

/** Returns whether there was such a flow. Its versions stay for its runs. */
export function deleteFlow(tx: Transaction, id: string): boolean {
  return tx.run('DELETE FROM flows WHERE id = ?', id) === 1;
}

function insertVersion(
  tx: Transaction,
  { id, version, name, steps }: FlowDefinition & { id: string; version: number },
): void {
  tx.run(
    'INSERT INTO flow_versions (flow_id, version, name, steps, created) VALUES (?, ?, ?, ?, ?)',
    id,
    version,
    name,
    JSON.stringify(steps),
    tx.now,
  );
}

function toFlow(row: FlowRow): Flow {
  return { ...row, steps: JSON.parse(row.steps), enabled: row.enabled === 1 };
}
