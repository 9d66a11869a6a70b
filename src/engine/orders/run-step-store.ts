import type { Reader } from '../../base/database/reader.ts';
import { integer, json, type RowOf, table, text } from '../../base/database/table.ts';
import type { Transaction } from '../../base/database/transaction.ts';

export interface FlowRunPost {
  postId: string;
  text: string | null;
  url: string | null;
}

export type StepOutcome = { text: string } | { post: FlowRunPost } | { error: string };

/** The run has left the step, for example because it was cancelled. Nothing of the step has happened. */
export class RunLeftStepError extends Error {}

export const runSteps = table('run_steps', {
  runId: text,
  step: integer,
  post: json<FlowRunPost>().nullable(),
  outcome: json<StepOutcome>().nullable(),
  readyAt: integer.nullable(),
});

/** A step that posts has neither a charge nor a job, and a step that writes a text has no job. */
interface Bought {
  charge: number | null;
  jobId: string | null;
}

export type RunStep = RowOf<typeof runSteps> & Bought;

const STEP = `SELECT ${runSteps.list}, orders.charge AS charge, jobs.id AS jobId FROM run_steps
  LEFT JOIN orders ON orders.run_id = run_steps.run_id AND orders.step = run_steps.step
  LEFT JOIN jobs ON jobs.account_id = orders.account_id AND jobs.charge = orders.charge
  WHERE run_steps.run_id = ?`;

export function readRunSteps(db: Reader, runId: string): RunStep[] {
  return runSteps.all<Bought>(db, `${STEP} ORDER BY run_steps.step`, runId);
}

export function findRunStep(db: Reader, runId: string, step: number): RunStep | undefined {
  return runSteps.get<Bought>(db, `${STEP} AND run_steps.step = ?`, runId, step);
}

function isAt(db: Reader, runId: string, step: number): boolean {
  const sql = "SELECT 1 FROM runs WHERE id = ? AND status = 'running' AND step = ?";
  return db.get(sql, runId, step) !== undefined;
}

/** Throws `RunLeftStepError` if the run has left the step, and another error if the step was already started. */
export function startRunStep(
  tx: Transaction,
  { runId, step }: { runId: string; step: number },
  instant?: { outcome: StepOutcome; readyAt: number },
): void {
  if (!isAt(tx, runId, step)) throw new RunLeftStepError();
  runSteps.insert(tx, { runId, step, ...instant });
}

export function approvePost(tx: Transaction, runId: string, step: number, post: FlowRunPost): void {
  const outcome: StepOutcome = { post };
  tx.run('UPDATE run_steps SET outcome = ? WHERE run_id = ? AND step = ?', JSON.stringify(outcome), runId, step);
}
