import { givenConditions, readIds, wordConditions } from '../../base/database/list-queries.ts';
import type { Positions, Reader, Transaction } from '../../base/database/transaction.ts';
import type { FlowStep } from './definition.ts';
import {
  type Post,
  type RunFailure,
  type RunStatus,
  type RunStep,
  requireRunMove,
  type StepOutcome,
  type StoredRun,
} from './run.ts';

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
  const [owned, owner] = givenConditions(['account_id = ?', page.accountId]);
  const [held, words] = wordConditions(SAID, page.q);
  const rows = db.all<FlowRow>(
    `${FLOW} AND ${owned}${held}position < ? ORDER BY position DESC LIMIT ?`,
    ...owner,
    ...words,
    page.before,
    page.limit,
  );
  return rows.map(toFlow);
}

type NewFlow = Omit<Flow, 'position' | 'created'>;

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

type RunRow = Omit<StoredRun, 'inputs' | 'faults' | 'failure'> & {
  inputs: string;
  faults: string | null;
  failure: string | null;
};

/** Net of refunds. SQLite does not support an alias of the table in RETURNING. */
const netOf = (runs: 'r' | 'runs') => `SELECT COALESCE(-SUM(c.amount + COALESCE(b.amount, 0)), 0) FROM run_steps s
  JOIN ledger c ON c.account_id = ${runs}.account_id AND c.n = s.charge
  LEFT JOIN ledger b ON b.account_id = c.account_id AND b.refund_of = c.n
  WHERE s.run_id = ${runs}.id`;

const RUN = `SELECT r.position, r.id, r.flow_id AS flowId, f.name AS flowName,
    r.workspace_id AS workspaceId, r.account_id AS accountId, r.source, r.status, r.step, r.inputs,
    r.base_url AS baseUrl, r.request_id AS requestId, r.faults, r.failure, COALESCE(r.credits, (${netOf('r')})) AS credits, r.started, r.finished
  FROM runs r JOIN flows f ON f.id = r.flow_id`;

export function findRun(db: Reader, id: string): StoredRun | undefined {
  const row = db.get<RunRow>(`${RUN} WHERE r.id = ?`, id);
  return row && toRun(row);
}

export function isAt(db: Reader, { id, step }: Pick<StoredRun, 'id' | 'step'>): boolean {
  const sql = "SELECT 1 FROM runs WHERE id = ? AND status = 'running' AND step = ?";
  return db.get(sql, id, step) !== undefined;
}

interface RunPage {
  accountId?: string | undefined;
  flowId?: string | undefined;
  status?: RunStatus | undefined;
  limit: number;
  before: number;
}

export function listRuns(db: Reader, { limit, before, ...filter }: RunPage): StoredRun[] {
  const [given, values] = givenConditions(
    ['r.account_id = ?', filter.accountId],
    ['r.flow_id = ?', filter.flowId],
    ['r.status = ?', filter.status],
  );
  const sql = `${RUN} WHERE ${given}r.position < ? ORDER BY r.position DESC LIMIT ?`;
  return db.all<RunRow>(sql, ...values, before, limit).map(toRun);
}

export interface WaitingRun extends Pick<StoredRun, 'id' | 'position'> {
  owner: string;
}

export function nextRunning(db: Reader, workspaceId: string, except: readonly string[]): WaitingRun | undefined {
  return db.get<WaitingRun>(
    `SELECT id, position, workspace_id AS owner FROM runs WHERE status = 'running' AND workspace_id = ?
       AND id NOT IN (SELECT value FROM json_each(?)) ORDER BY position LIMIT 1`,
    workspaceId,
    JSON.stringify(except),
  );
}

export function newestRun(db: Reader): number {
  return db.get<{ newest: number | null }>('SELECT MAX(position) AS newest FROM runs')?.newest ?? 0;
}

export function runningWorkspaces(db: Reader): string[] {
  return readIds(db, "SELECT DISTINCT workspace_id AS id FROM runs WHERE status = 'running'");
}

/** Of all accounts or of one, without waiting runs. */
export function countRunning(db: Reader, accountId?: string): number {
  const [owned, owner] = givenConditions(['account_id = ?', accountId]);
  const sql = `SELECT COUNT(*) AS n FROM runs WHERE ${owned}status = 'running'`;
  return db.get<{ n: number }>(sql, ...owner)?.n ?? 0;
}

type NewRun = Pick<
  StoredRun,
  'id' | 'flowId' | 'workspaceId' | 'accountId' | 'source' | 'inputs' | 'baseUrl' | 'requestId' | 'faults'
>;

export function insertRun(tx: Transaction, run: NewRun): void {
  tx.run(
    `INSERT INTO runs (id, flow_id, workspace_id, account_id, source, status, step, inputs, base_url,
       request_id, faults, started)
     VALUES (?, ?, ?, ?, ?, 'running', 1, ?, ?, ?, ?, ?)`,
    run.id,
    run.flowId,
    run.workspaceId,
    run.accountId,
    run.source,
    JSON.stringify(run.inputs),
    run.baseUrl,
    run.requestId,
    run.faults && JSON.stringify(run.faults),
    tx.now,
  );
}

export function moveStep(tx: Transaction, run: StoredRun, step: number): StoredRun {
  tx.run('UPDATE runs SET step = ? WHERE id = ?', step, run.id);
  return { ...run, step };
}

/** Returns the run with its cost so far. */
export function moveRun(tx: Transaction, run: StoredRun, status: 'running' | 'waiting'): StoredRun {
  requireRunMove(run.status, status);
  const row = tx.get<{ credits: number }>(
    `UPDATE runs SET status = ? WHERE id = ? RETURNING (${netOf('runs')}) AS credits`,
    status,
    run.id,
  );
  return { ...run, status, credits: row?.credits ?? 0 };
}

export function finishRun(tx: Transaction, run: StoredRun, failure: RunFailure | null): StoredRun {
  const status = failure ? 'failed' : 'done';
  requireRunMove(run.status, status);
  const row = tx.get<{ credits: number }>(
    `UPDATE runs AS r SET status = ?, failure = ?, finished = ?, credits = (${netOf('r')}) WHERE id = ? RETURNING credits`,
    status,
    failure && JSON.stringify(failure),
    tx.now,
    run.id,
  );
  return { ...run, status, failure, finished: tx.now, credits: row?.credits ?? 0 };
}

function toRun(row: RunRow): StoredRun {
  return {
    ...row,
    inputs: JSON.parse(row.inputs),
    faults: row.faults && JSON.parse(row.faults),
    failure: row.failure && JSON.parse(row.failure),
  };
}

type StepRow = Omit<RunStep, 'post' | 'outcome'> & { post: string | null; outcome: string | null };

const STEP = `SELECT step, charge, job_id AS jobId, post, outcome, ready_at AS readyAt FROM run_steps`;

export function readRunSteps(db: Reader, runId: string): RunStep[] {
  return db.all<StepRow>(`${STEP} WHERE run_id = ? ORDER BY step`, runId).map(toStep);
}

export function findRunStep(db: Reader, runId: string, step: number): RunStep | undefined {
  const row = db.get<StepRow>(`${STEP} WHERE run_id = ? AND step = ?`, runId, step);
  return row && toStep(row);
}

/** Throws if the step was already started. */
export function insertRunStep(
  tx: Transaction,
  runId: string,
  { step, charge, jobId, post, outcome, readyAt }: RunStep,
): void {
  tx.run(
    `INSERT INTO run_steps (run_id, step, charge, job_id, post, outcome, ready_at)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
    runId,
    step,
    charge,
    jobId,
    post && JSON.stringify(post),
    outcome && JSON.stringify(outcome),
    readyAt,
  );
}

export function approvePost(tx: Transaction, runId: string, step: number, post: Post): void {
  const outcome: StepOutcome = { post };
  tx.run('UPDATE run_steps SET outcome = ? WHERE run_id = ? AND step = ?', JSON.stringify(outcome), runId, step);
}

function toStep(row: StepRow): RunStep {
  return {
    ...row,
    post: row.post && JSON.parse(row.post),
    outcome: row.outcome && JSON.parse(row.outcome),
  };
}

export function findRunOfJob(db: Reader, jobId: string): string | undefined {
  return db.get<{ id: string }>('SELECT run_id AS id FROM run_steps WHERE job_id = ?', jobId)?.id;
}

/** Final runs whose cost differs from their charges. There must be none. */
export function findMispricedRuns(db: Reader, { after, last }: Positions): string[] {
  return readIds(
    db,
    `SELECT r.id FROM runs r
     LEFT JOIN run_steps s ON s.run_id = r.id
     LEFT JOIN ledger c ON c.account_id = r.account_id AND c.n = s.charge
     LEFT JOIN ledger b ON b.account_id = c.account_id AND b.refund_of = c.n
     WHERE r.position > ? AND r.position <= ? AND r.credits IS NOT NULL
     GROUP BY r.id HAVING r.credits <> COALESCE(-SUM(c.amount + COALESCE(b.amount, 0)), 0)`,
    after,
    last,
  );
}

/** Final runs without an event, unless events of that age are removed, and unfinished runs with one. There must be none. */
export function findUnnotifiedRuns(db: Reader, { after, last }: Positions): string[] {
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

/** Charges of several steps. There must be none. */
export function findSharedCharges(db: Reader, accountId: string): string[] {
  return readIds(
    db,
    `SELECT r.account_id || ' entry ' || s.charge AS id FROM runs r JOIN run_steps s ON s.run_id = r.id
     WHERE r.account_id = ? AND s.charge IS NOT NULL GROUP BY s.charge HAVING COUNT(*) > 1`,
    accountId,
  );
}
