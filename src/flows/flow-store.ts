import type { Reader, SqlValue, Transaction } from '../database/transaction.ts';
import { wordConditions } from '../database/word-search-store.ts';
import type { FlowStep } from './definition.ts';

/** What a flow does: a name and steps, without any id of this emulator. */
export interface FlowDefinition {
  name: string;
  steps: FlowStep[];
}

/** A flow of a workspace; `token` is the secret part of its inbound address, `created` is in milliseconds. */
export interface Flow extends FlowDefinition {
  position: number;
  id: string;
  /** How many definitions it has had. */
  version: number;
  workspaceId: string;
  /** Who pays for its runs. */
  accountId: string;
  token: string;
  /** Whether runs begin. */
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

/** What a run needs to know of its flow: no definition is read for it. */
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

/** The steps of a version, also of a flow that is gone. */
export function readSteps(db: Reader, flowId: string, version: number): FlowStep[] {
  const row = db.get<{ steps: string }>(
    'SELECT steps FROM flow_versions WHERE flow_id = ? AND version = ?',
    flowId,
    version,
  );
  return row ? JSON.parse(row.steps) : [];
}

/** What a search for flows looks at. */
const SAID = "(f.id || ' ' || f.name || ' ' || f.workspace_id || ' ' || f.account_id || ' ' || v.steps)";

/** Newest first; `before` is the position of the last one seen, `q` words that it has to hold. */
export function listFlows(
  db: Reader,
  page: { accountId?: string | undefined; limit: number; before: number; q?: string | undefined },
): Flow[] {
  const [owned, owner]: [string, SqlValue[]] =
    page.accountId === undefined ? ['', []] : ['f.account_id = ? AND ', [page.accountId]];
  const [held, words] = wordConditions(SAID, page.q);
  const rows = db.all<FlowRow>(
    `${FLOW} WHERE ${owned}${held}f.position < ? ORDER BY f.position DESC LIMIT ?`,
    ...[...owner, ...words, page.before, page.limit],
  );
  return rows.map(toFlow);
}

export type NewFlow = Pick<Flow, 'id' | 'workspaceId' | 'accountId' | 'token' | keyof FlowDefinition>;

export function insertFlow(tx: Transaction, flow: NewFlow): void {
  tx.run(
    'INSERT INTO flows (id, workspace_id, account_id, name, token, created) VALUES (?, ?, ?, ?, ?, ?)',
    ...[flow.id, flow.workspaceId, flow.accountId, flow.name, flow.token, tx.now],
  );
  insertVersion(tx, { ...flow, version: 1 });
}

/** Gives a flow its next definition; runs that have begun keep theirs. */
export function changeDefinition(tx: Transaction, id: string, definition: FlowDefinition): void {
  const next = tx.get<{ version: number }>(
    'UPDATE flows SET name = ?, version = version + 1 WHERE id = ? RETURNING version',
    definition.name,
    id,
  );
  if (next) insertVersion(tx, { ...definition, id, version: next.version });
}

export function changeToken(tx: Transaction, id: string, token: string): void {
  tx.run('UPDATE flows SET token = ? WHERE id = ?', token, id);
}

/** What is undefined stays as it is. */
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

/** Answers whether there was such a flow. Its versions stay for its runs. */
export function deleteFlow(tx: Transaction, id: string): boolean {
  return tx.run('DELETE FROM flows WHERE id = ?', id) === 1;
}

function insertVersion(
  tx: Transaction,
  { id, version, name, steps }: FlowDefinition & { id: string; version: number },
): void {
  tx.run(
    'INSERT INTO flow_versions (flow_id, version, name, steps, created) VALUES (?, ?, ?, ?, ?)',
    ...[id, version, name, JSON.stringify(steps), tx.now],
  );
}

function toFlow(row: FlowRow): Flow {
  return { ...row, steps: JSON.parse(row.steps), enabled: row.enabled === 1 };
}
