import type { Positions, Reader, SqlValue, Transaction } from '../../base/database/transaction.ts';
import type { Post, RunStep, StepOutcome } from './run.ts';

type StepRow = Omit<RunStep, 'post' | 'outcome'> & { post: string | null; outcome: string | null };

const STEP = `SELECT step, charge, job_id AS jobId, post, outcome, ready_at AS readyAt FROM run_steps`;

/** The started steps of a run, in order. */
export function readRunSteps(db: Reader, runId: string): RunStep[] {
  return db.all<StepRow>(`${STEP} WHERE run_id = ? ORDER BY step`, runId).map(toStep);
}

export function findRunStep(db: Reader, runId: string, step: number): RunStep | undefined {
  const row = db.get<StepRow>(`${STEP} WHERE run_id = ? AND step = ?`, runId, step);
  return row && toStep(row);
}

/** Throws when the step was started before: no step starts twice. */
export function insertRunStep(
  tx: Transaction,
  runId: string,
  { step, charge, jobId, post, outcome, readyAt }: RunStep,
): void {
  tx.run(
    `INSERT INTO run_steps (run_id, step, charge, job_id, post, outcome, ready_at)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
    ...[runId, step, charge, jobId],
    ...[post && JSON.stringify(post), outcome && JSON.stringify(outcome), readyAt],
  );
}

/** Stores the outcome of an approved post. */
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

/** The run that ordered a job. */
export function findRunOfJob(db: Reader, jobId: string): string | undefined {
  return db.get<{ id: string }>('SELECT run_id AS id FROM run_steps WHERE job_id = ?', jobId)?.id;
}

/** Final runs whose cost differs from the charges of their steps net of refunds; there must never be any. */
export function findMispricedRuns(db: Reader, { after, last }: Positions): string[] {
  return ids(
    db,
    `SELECT r.id FROM runs r
     LEFT JOIN run_steps s ON s.run_id = r.id
     LEFT JOIN ledger c ON c.account_id = r.account_id AND c.n = s.charge
     LEFT JOIN ledger b ON b.account_id = c.account_id AND b.refund_of = c.n
     WHERE r.position > ? AND r.position <= ? AND r.credits IS NOT NULL
     GROUP BY r.id HAVING r.credits <> COALESCE(-SUM(c.amount + COALESCE(b.amount, 0)), 0)`,
    [after, last],
  );
}

/** Final runs without their one event, unless that is too old to be kept, and unfinished runs with one; there must never be any. */
export function findUnnotifiedRuns(db: Reader, { after, last }: Positions): string[] {
  return ids(
    db,
    `SELECT r.id FROM runs r
     LEFT JOIN events e ON e.run_id = r.id AND e.type IN ('flow.run.succeeded', 'flow.run.failed')
     WHERE r.position > ? AND r.position <= ?
     GROUP BY r.id
     HAVING COUNT(e.id) > (r.finished IS NOT NULL)
       OR (COUNT(e.id) = 0 AND r.finished IS NOT NULL AND r.position > (SELECT position FROM untold_runs))
       OR (COUNT(e.id) > 0 AND (r.status = 'done') <> (MAX(e.type) = 'flow.run.succeeded'))`,
    [after, last],
  );
}

/** Charges of an account that belong to two steps; there must never be any. */
export function findSharedCharges(db: Reader, accountId: string): string[] {
  return ids(
    db,
    `SELECT r.account_id || ' entry ' || s.charge AS id FROM runs r JOIN run_steps s ON s.run_id = r.id
     WHERE r.account_id = ? AND s.charge IS NOT NULL GROUP BY s.charge HAVING COUNT(*) > 1`,
    [accountId],
  );
}

function ids(db: Reader, sql: string, values: SqlValue[]): string[] {
  return db.all<{ id: string }>(sql, ...values).map(({ id }) => id);
}
