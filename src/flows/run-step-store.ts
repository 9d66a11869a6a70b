import type { Reader, Transaction } from '../database/transaction.ts';
import type { Post, RunStep, StepOutcome } from './run.ts';

type StepRow = Omit<RunStep, 'post' | 'outcome'> & { post: string | null; outcome: string | null };

const STEP = `SELECT step, charge, job_id AS jobId, post, outcome, ready_at AS readyAt FROM run_steps`;

/** The steps that a run has begun, in order. */
export function readRunSteps(db: Reader, runId: string): RunStep[] {
  return db.all<StepRow>(`${STEP} WHERE run_id = ? ORDER BY step`, runId).map(toStep);
}

export function findRunStep(db: Reader, runId: string, step: number): RunStep | undefined {
  const row = db.get<StepRow>(`${STEP} WHERE run_id = ? AND step = ?`, runId, step);
  return row && toStep(row);
}

/** Throws when the step was begun before: none is begun twice. */
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

/** Keeps what a post came to when somebody approved it. */
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

/** The run that began a job. */
export function findRunOfJob(db: Reader, jobId: string): string | undefined {
  return db.get<{ id: string }>('SELECT run_id AS id FROM run_steps WHERE job_id = ?', jobId)?.id;
}
