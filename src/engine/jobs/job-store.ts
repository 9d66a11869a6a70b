import { readIds } from '../../base/database/list-queries.ts';
import type { Positions, Reader, SqlValue, Transaction } from '../../base/database/transaction.ts';
import {
  type FinalStatus,
  type Job,
  type JobOutcome,
  type JobResult,
  type JobStatus,
  type NewJob,
  requireMove,
} from './job.ts';

interface JobRow extends Omit<Job, 'store' | 'parameters' | 'render' | 'faults' | 'released' | 'outcome' | 'result'> {
  store: number;
  parameters: string;
  render: string;
  faults: string | null;
  released: number;
  outcome: string | null;
  result: string | null;
}

const JOB = `SELECT position, id, account_id AS accountId, workspace_id AS workspaceId, medium, status, model,
  waiter, request_id AS requestId, take, seed, parameters, render, store, credits, charge, base_url AS baseUrl,
  ready_at AS readyAt, fail_with AS failWith, faults, released, polls, outcome, result, created, started, completed FROM jobs`;

const BY_ID = `${JOB} WHERE id = ?`;

export function findJob(db: Reader, id: string): Job | undefined {
  const row = db.get<JobRow>(BY_ID, id);
  return row && toJob(row);
}

export function openJobs(db: Reader): Job[] {
  return db.all<JobRow>(`${JOB} WHERE completed IS NULL ORDER BY position`).map(toJob);
}

export function nextQueued(
  db: Reader,
  accountId: string,
  { except, ofCalls }: { except: readonly string[]; ofCalls: boolean },
): { id: string; owner: string } | undefined {
  return db.get<{ id: string; owner: string }>(
    `SELECT id, account_id AS owner FROM jobs
     WHERE completed IS NULL AND account_id = ? AND status = 'queued' AND outcome IS NULL
       AND id NOT IN (SELECT value FROM json_each(?)) ${ofCalls ? "AND waiter = 'call'" : ''}
     ORDER BY position LIMIT 1`,
    accountId,
    JSON.stringify(except),
  );
}

export function ownersOfQueued(db: Reader): string[] {
  const sql = `SELECT DISTINCT account_id AS id FROM jobs
    WHERE completed IS NULL AND status = 'queued' AND outcome IS NULL`;
  return readIds(db, sql);
}

export function insertJob(tx: Transaction, job: NewJob): Job {
  const position = tx.insert(
    `INSERT INTO jobs (id, account_id, workspace_id, medium, status, model, waiter, request_id, take, seed, parameters,
       render, store, credits, charge, base_url, ready_at, fail_with, faults, released, polls, outcome, result, created, started,
       completed)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    job.id,
    job.accountId,
    job.workspaceId,
    job.medium,
    job.status,
    job.model,
    job.waiter,
    job.requestId,
    job.take,
    job.seed,
    JSON.stringify(job.parameters),
    JSON.stringify(job.render),
    Number(job.store),
    job.credits,
    job.charge,
    job.baseUrl,
    job.readyAt,
    job.failWith,
    job.faults && JSON.stringify(job.faults),
    Number(job.released),
    job.polls,
    job.outcome && JSON.stringify(job.outcome),
    job.result && JSON.stringify(job.result),
    job.created,
    job.started,
    job.completed,
  );
  return { ...job, position };
}

export function startJob(tx: Transaction, job: Job): void {
  requireMove(job.status, 'processing');
  tx.run("UPDATE jobs SET status = 'processing', started = ? WHERE id = ?", tx.now, job.id);
}

export function requeueJob(tx: Transaction, job: Job): void {
  requireMove(job.status, 'queued');
  tx.run("UPDATE jobs SET status = 'queued', started = NULL WHERE id = ?", job.id);
}

export function countPoll(tx: Transaction, id: string): void {
  tx.run('UPDATE jobs SET polls = polls + 1 WHERE id = ? AND completed IS NULL', id);
}

/** The job then follows its progression. */
export function clearPace(tx: Transaction, id: string): void {
  tx.run("UPDATE jobs SET faults = json_remove(faults, '$.pace') WHERE id = ? AND completed IS NULL", id);
}

/** A job that became final in the meantime does not change. */
export function writeOutcome(tx: Transaction, id: string, outcome: JobOutcome): void {
  tx.run('UPDATE jobs SET outcome = ? WHERE id = ? AND completed IS NULL', JSON.stringify(outcome), id);
}

export function releaseJob(tx: Transaction, id: string): void {
  tx.run('UPDATE jobs SET released = 1 WHERE id = ? AND completed IS NULL', id);
}

/** The job is then rendered. */
export function clearFailure(tx: Transaction, job: Job): void {
  if (job.status !== 'queued') requeueJob(tx, job);
  tx.run('UPDATE jobs SET fail_with = NULL, outcome = NULL WHERE id = ?', job.id);
}

/** Inserts a job that is final at its order. */
export function completeJob(
  tx: Transaction,
  job: NewJob | Job,
  end: { status: FinalStatus; outcome: JobOutcome; result: JobResult },
): Job {
  requireMove(job.status, end.status);
  const final = { ...job, ...end, started: job.started ?? tx.now, completed: tx.now };
  if (!('position' in final)) return insertJob(tx, final);
  tx.run(
    `UPDATE jobs SET status = ?, outcome = ?, result = ?, started = ?, completed = ? WHERE position = ?`,
    final.status,
    JSON.stringify(final.outcome),
    JSON.stringify(final.result),
    final.started,
    final.completed,
    final.position,
  );
  return final;
}

function toJob(row: JobRow): Job {
  return {
    ...row,
    store: row.store === 1,
    parameters: JSON.parse(row.parameters),
    render: JSON.parse(row.render),
    faults: row.faults && JSON.parse(row.faults),
    released: row.released === 1,
    outcome: row.outcome && JSON.parse(row.outcome),
    result: row.result && JSON.parse(row.result),
  };
}

/** Equal to the conditions of the partial indexes. */
const FILTERS: Record<JobStatus | 'open', string> = {
  open: 'completed IS NULL',
  queued: "completed IS NULL AND status = 'queued'",
  processing: "completed IS NULL AND status = 'processing'",
  succeeded: "status = 'succeeded'",
  failed: "status = 'failed'",
};

interface JobPage {
  accountId?: string | undefined;
  /** `open` means queued or processing. */
  status?: keyof typeof FILTERS | undefined;
  limit: number;
  before?: number;
}

/** Newest first. `before` is the position of the last job of the previous page. */
export function listJobs(db: Reader, { accountId, status, limit, before }: JobPage): Job[] {
  const values: SqlValue[] = [before ?? Number.MAX_SAFE_INTEGER, ...(accountId ? [accountId] : [])];
  const where = ['position < ?', ...(accountId ? ['account_id = ?'] : []), ...(status ? [FILTERS[status]] : [])];
  const sql = `${JOB} WHERE ${where.join(' AND ')} ORDER BY position DESC LIMIT ?`;
  return db.all<JobRow>(sql, ...values, limit).map(toJob);
}

/** Final jobs whose refund does not fit their state. There must be none. */
export function findUnsettled(db: Reader, { after, last }: Positions): string[] {
  const sql = `SELECT j.id FROM jobs j
      LEFT JOIN ledger r ON r.account_id = j.account_id AND r.refund_of = j.charge
    WHERE j.position > ? AND j.position <= ? AND (j.status = 'failed') <> (r.n IS NOT NULL)`;
  return readIds(db, sql, after, last);
}
