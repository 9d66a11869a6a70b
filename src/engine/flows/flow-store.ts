import type { Database } from '../../base/database/database.ts';
import { nextId, nextSequenceNumber } from '../../base/database/id-store.ts';
import { conditionsWithValues, readIds, wordConditions } from '../../base/database/list-queries.ts';
import type { PositionRange, Reader } from '../../base/database/reader.ts';
import { boolean, integer, json, type RowOf, rowId, table, text } from '../../base/database/table.ts';
import type { Transaction } from '../../base/database/transaction.ts';
import { EmulatorError, quoted } from '../../base/errors.ts';
import type { Random } from '../../base/random.ts';
import type { JobFaults } from '../faults/request-faults.ts';
import type { FlowStep, StepType } from './definition.ts';

export const flows = table('flows', {
  position: rowId,
  id: text,
  workspaceId: text,
  accountId: text,
  name: text,
  steps: json<FlowStep[]>(),
  /** The secret part of the hook URL. */
  token: text,
  created: integer,
  /** True if the flow is deleted. Its row stays, because its runs refer to it. */
  deleted: boolean,
});

export type Flow = RowOf<typeof flows>;

const heads = flows.pick('id', 'workspaceId', 'accountId');

export type FlowOwnership = RowOf<typeof heads>;

export function findFlowOwnership(db: Reader, id: string): FlowOwnership | undefined {
  return heads.get(db, `${heads.select} WHERE deleted = 0 AND id = ?`, id);
}

export function findFlowOwnershipByToken(db: Reader, token: string): FlowOwnership | undefined {
  return heads.get(db, `${heads.select} WHERE deleted = 0 AND token = ?`, token);
}

const steps = flows.pick('steps');

export function readFlowSteps(db: Reader, flowId: string): FlowStep[] {
  return steps.get(db, `${steps.select} WHERE id = ?`, flowId)?.steps ?? [];
}

export function flowPosition(db: Reader, id: string): number | undefined {
  return db.get<{ position: number }>('SELECT position FROM flows WHERE id = ?', id)?.position;
}

const SAID = "(id || ' ' || name || ' ' || workspace_id || ' ' || account_id || ' ' || steps)";

export function listFlows(
  db: Reader,
  page: { accountId?: string | undefined; limit: number; before: number; q?: string | undefined },
): Flow[] {
  const [owned, owner] = conditionsWithValues(['account_id = ?', page.accountId]);
  const [held, words] = wordConditions(SAID, page.q);
  return flows.all(
    db,
    `${flows.select} WHERE deleted = 0 AND ${owned}${held}position < ? ORDER BY position DESC LIMIT ?`,
    ...owner,
    ...words,
    page.before,
    page.limit,
  );
}

type NewFlow = Pick<Flow, 'workspaceId' | 'accountId' | 'name' | 'steps'>;

export function addFlow({ database, random }: { database: Database; random: Random }, wanted: NewFlow): Promise<Flow> {
  return database.transact((tx) => {
    const id = nextId(tx, random, 'flow', wanted.workspaceId);
    const token = random.token(id, 'hook', nextSequenceNumber(tx, id, 'hook'));
    flows.insert(tx, { ...wanted, id, token, created: tx.now, deleted: false });
    return requireFlow(tx, id);
  });
}

export function requireFlow(db: Reader, id: string): Flow {
  const flow = flows.get(db, `${flows.select} WHERE deleted = 0 AND id = ?`, id);
  if (flow) return flow;
  throw flowNotFoundError(id);
}

export function softDeleteFlow(database: Database, id: string): Promise<void> {
  return database.transact((tx) => {
    if (tx.run('UPDATE flows SET deleted = 1 WHERE id = ? AND deleted = 0', id) === 0) throw flowNotFoundError(id);
  });
}

export function flowNotFoundError(id: string): EmulatorError {
  return new EmulatorError('flow_not_found', `There is no flow ${quoted(id)}. GET /_emulator/flows lists them.`);
}

export const RUN_STATUSES = ['running', 'waiting', 'done', 'failed'] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];
export const RUN_SOURCES = ['webhook', 'manual'] as const;
export type RunSource = (typeof RUN_SOURCES)[number];

const RUN_TRANSITIONS: Record<RunStatus, readonly RunStatus[]> = {
  running: ['waiting', 'done', 'failed'],
  waiting: ['running', 'failed'],
  done: [],
  failed: [],
};

export interface RunFailure {
  step: number;
  nodeId: string;
  type: StepType;
  message: string;
}

function requireRunTransition(from: RunStatus, to: RunStatus): void {
  if (!RUN_TRANSITIONS[from].includes(to)) throw new Error(`a run cannot go from ${from} to ${to}`);
}

export function isRunFinal(status: RunStatus): boolean {
  return RUN_TRANSITIONS[status].length === 0;
}

export const runs = table('runs', {
  position: rowId,
  id: text,
  flowId: text,
  workspaceId: text,
  accountId: text,
  source: text.of<RunSource>(),
  status: text.of<RunStatus>(),
  /** The number of the current step, from 1. */
  step: integer,
  inputs: json<Record<string, unknown>>(),
  baseUrl: text,
  faults: json<JobFaults>().nullable(),
  failure: json<RunFailure>().nullable(),
  /** What the run cost, net of refunds. Null until the run is final. */
  credits: integer.nullable(),
  started: integer,
  finished: integer.nullable(),
  /** The request that called the hook URL; null for a manual run. */
  requestId: text.nullable(),
});

const known = runs.omit('credits');

interface WithFlow {
  flowName: string;
  credits: number;
}

export type StoredRun = RowOf<typeof known> & WithFlow;

const NET = `SELECT COALESCE(-SUM(c.amount + COALESCE(b.amount, 0)), 0) FROM orders o
  JOIN ledger c ON c.account_id = o.account_id AND c.n BETWEEN o.charge AND o.charge + o.charges - 1
  LEFT JOIN ledger b ON b.account_id = c.account_id AND b.refund_of = c.n
  WHERE o.run_id = runs.id`;

const RUN = `SELECT ${known.list}, flows.name AS flowName, COALESCE(credits, (${NET})) AS credits
  FROM runs JOIN flows ON flows.id = flow_id`;

export function findRun(db: Reader, id: string): StoredRun | undefined {
  return known.get<WithFlow>(db, `${RUN} WHERE runs.id = ?`, id);
}

interface RunPage {
  accountId?: string | undefined;
  flowId?: string | undefined;
  status?: RunStatus | undefined;
  limit: number;
  before: number;
}

export function listRuns(db: Reader, { limit, before, ...filter }: RunPage): StoredRun[] {
  const [given, values] = conditionsWithValues(
    ['runs.account_id = ?', filter.accountId],
    ['flow_id = ?', filter.flowId],
    ['status = ?', filter.status],
  );
  const sql = `${RUN} WHERE ${given}runs.position < ? ORDER BY runs.position DESC LIMIT ?`;
  return known.all<WithFlow>(db, sql, ...values, before, limit);
}

export interface RunQueueItem extends Pick<StoredRun, 'id' | 'position'> {
  owner: string;
}

export function findNextRunQueueItem(
  db: Reader,
  workspaceId: string,
  except: readonly string[],
): RunQueueItem | undefined {
  return db.get<RunQueueItem>(
    `SELECT id, position, workspace_id AS owner FROM runs WHERE status = 'running' AND workspace_id = ?
       AND id NOT IN (SELECT value FROM json_each(?)) ORDER BY position LIMIT 1`,
    workspaceId,
    JSON.stringify(except),
  );
}

export function newestRunPosition(db: Reader): number {
  return db.get<{ newest: number | null }>('SELECT MAX(position) AS newest FROM runs')?.newest ?? 0;
}

export function workspaceIdsWithRunningRuns(db: Reader): string[] {
  return readIds(db, "SELECT DISTINCT workspace_id AS id FROM runs WHERE status = 'running'");
}

export function countRunningRuns(db: Reader, accountId?: string): number {
  const [owned, owner] = conditionsWithValues(['account_id = ?', accountId]);
  const sql = `SELECT COUNT(*) AS n FROM runs WHERE ${owned}status = 'running'`;
  return db.get<{ n: number }>(sql, ...owner)?.n ?? 0;
}

export function updateCurrentStep(tx: Transaction, run: StoredRun, step: number): StoredRun {
  tx.run('UPDATE runs SET step = ? WHERE id = ?', step, run.id);
  return { ...run, step };
}

export function updateRunStatus(tx: Transaction, run: StoredRun, status: 'running' | 'waiting'): StoredRun {
  requireRunTransition(run.status, status);
  const row = tx.get<{ credits: number }>(
    `UPDATE runs SET status = ? WHERE id = ? RETURNING (${NET}) AS credits`,
    status,
    run.id,
  );
  return { ...run, status, credits: row?.credits ?? 0 };
}

export function finishRun(tx: Transaction, run: StoredRun, failure: RunFailure | null): StoredRun {
  const status = failure ? 'failed' : 'done';
  requireRunTransition(run.status, status);
  const row = tx.get<{ credits: number }>(
    `UPDATE runs SET status = ?, failure = ?, finished = ?, credits = (${NET}) WHERE id = ? RETURNING credits`,
    status,
    failure && JSON.stringify(failure),
    tx.now,
    run.id,
  );
  return { ...run, status, failure, finished: tx.now, credits: row?.credits ?? 0 };
}

export function findMispricedRunIds(db: Reader, { after, last }: PositionRange): string[] {
  return readIds(
    db,
    `SELECT r.id FROM runs r
     LEFT JOIN orders o ON o.run_id = r.id
     LEFT JOIN ledger c ON c.account_id = o.account_id AND c.n BETWEEN o.charge AND o.charge + o.charges - 1
     LEFT JOIN ledger b ON b.account_id = c.account_id AND b.refund_of = c.n
     WHERE r.position > ? AND r.position <= ? AND r.credits IS NOT NULL
     GROUP BY r.id HAVING r.credits <> COALESCE(-SUM(c.amount + COALESCE(b.amount, 0)), 0)`,
    after,
    last,
  );
}

/**
 * Finds runs whose end event is early, repeated, wrong, or missing (unless events of that age were removed). There must
 * be none.
 */
export function findRunIdsWithWrongEvents(db: Reader, { after, last }: PositionRange): string[] {
  return readIds(
    db,
    `SELECT r.id FROM runs r
     LEFT JOIN events e ON e.run_id = r.id AND e.type IN ('flow.run.succeeded', 'flow.run.failed')
     WHERE r.position > ? AND r.position <= ?
     GROUP BY r.id
     HAVING COUNT(e.id) > (r.finished IS NOT NULL)
       OR (COUNT(e.id) = 0 AND r.finished IS NOT NULL AND r.position > (SELECT position FROM unannounced_runs))
       OR (COUNT(e.id) > 0 AND (r.status = 'done') <> (MAX(e.type) = 'flow.run.succeeded'))`,
    after,
    last,
  );
}
