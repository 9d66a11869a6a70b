import { conditionsWithValues, readIds } from '../../base/database/list-queries.ts';
import type { PositionRange, Reader, SqlValue } from '../../base/database/reader.ts';
import { boolean, integer, json, type RowOf, real, rowId, table, text } from '../../base/database/table.ts';
import type { Transaction } from '../../base/database/transaction.ts';
import { EmulatorError, storageFullError } from '../../base/errors.ts';
import type { JobRenderInput, StoredFile } from '../../media/render-request.ts';
import type { JobFaults } from '../faults/request-faults.ts';
import type { OrderChargeRange } from '../orders/order-store.ts';

export const MEDIA_KINDS = ['image', 'video', 'speech', 'music'] as const;
export type MediaKind = (typeof MEDIA_KINDS)[number];

/** At a start, a job that was rendering is queued again. A job for which a call waited fails. */
export const JOB_STATE_DEFINITIONS = {
  queued: { isFinal: false, to: ['processing', 'succeeded', 'failed'] },
  processing: { isFinal: false, to: ['queued', 'succeeded', 'failed'] },
  succeeded: { isFinal: true, to: [] },
  failed: { isFinal: true, to: [] },
} as const;

export type JobStatus = keyof typeof JOB_STATE_DEFINITIONS;
export type FinalStatus = {
  [Status in JobStatus]: (typeof JOB_STATE_DEFINITIONS)[Status]['isFinal'] extends true ? Status : never;
}[JobStatus];
export type OpenStatus = Exclude<JobStatus, FinalStatus>;

export const JOB_STATUSES = Object.keys(JOB_STATE_DEFINITIONS) as JobStatus[];
export const FINAL_STATUSES = JOB_STATUSES.filter(isFinal);

/** The end of a job's work. It takes effect when the job becomes final. */
export type JobOutcome = { file: StoredFile } | { error: JobError };

export interface JobError {
  code: string;
  message: string;
  /**
   * Set if a directive, a fault rule, a profile, a scripted answer or a control operation caused the error, except for
   * `content_blocked`. The result of the job leaves it out.
   */
  asked?: true;
}

export type JobResult =
  | { result_url: string; content_type: string; library_id: string; duration?: number }
  | { error: JobError };

/** Times are milliseconds of the emulator's clock. */
export const jobs = table('jobs', {
  position: rowId,
  id: text,
  accountId: text,
  workspaceId: text,
  medium: text.of<MediaKind>(),
  status: text.of<JobStatus>(),
  model: text,
  /** Who waits for the job: an open call, or a flow run, which outlives the process. */
  waiter: text.of<'call' | 'run'>().nullable(),
  take: integer.nullable(),
  seed: integer.nullable(),
  parameters: json<Record<string, unknown>>(),
  render: json<JobRenderInput>(),
  store: boolean,
  credits: integer,
  /** The `n` of the ledger entry that paid for the job, and the `n` of the first entry of its order. */
  charge: integer,
  orderCharge: integer,
  baseUrl: text,
  /** The end of a requested delay. Only a release or a cancellation makes the job final before it. */
  readyAt: integer.nullable(),
  failWith: text.nullable(),
  polls: integer,
  outcome: json<JobOutcome>().nullable(),
  result: json<JobResult>().nullable(),
  created: integer,
  started: integer.nullable(),
  completed: integer.nullable(),
  faults: json<JobFaults>().nullable(),
  /** True if no progression, requested delay or fault delays the end: the job is final as soon as it has an outcome. */
  released: boolean,
});

export type Job = RowOf<typeof jobs>;
export type NewJob = Omit<Job, 'position'>;

type Ordered = Omit<
  NewJob,
  'status' | 'polls' | 'released' | 'outcome' | 'result' | 'created' | 'started' | 'completed'
>;

export function newQueuedJob(ordered: Ordered, now: number): NewJob {
  const none = { outcome: null, result: null, started: null, completed: null };
  return { ...ordered, status: 'queued', released: false, polls: 0, created: now, ...none };
}

const BY_ID = `${jobs.select} WHERE id = ?`;

export function findJob(db: Reader, id: string): Job | undefined {
  return jobs.get(db, BY_ID, id);
}

export function jobsOfOrder(db: Reader, { accountId, charge, charges }: OrderChargeRange): Job[] {
  const sql = `${jobs.select} WHERE account_id = ? AND charge >= ? AND charge < ? ORDER BY charge`;
  return jobs.all(db, sql, accountId, charge, charge + charges);
}

/**
 * The columns that decide when a job becomes final. Open jobs are read without the others, because some are long and
 * thousands of jobs may be open.
 */
const open = jobs.pick(
  ...(['position', 'id', 'accountId', 'status', 'waiter', 'created', 'started', 'completed'] as const),
  ...(['readyAt', 'polls', 'failWith', 'faults', 'outcome', 'released'] as const),
);

export type OpenJob = RowOf<typeof open>;

/**
 * The condition for the open jobs of an account. Because of the plus, SQLite uses the index of open jobs, which are far
 * fewer than all jobs of an account.
 */
const OF_ACCOUNT = '+jobs.account_id = ?';

export function listOpenJobs(db: Reader, accountId?: string): OpenJob[] {
  const [owned, owner] = conditionsWithValues([OF_ACCOUNT, accountId]);
  return open.all(db, `${open.select} WHERE ${owned}completed IS NULL ORDER BY position`, ...owner);
}

export function listOpenJobsPastReadyTime(db: Reader, now: number): OpenJob[] {
  const ready = '(released = 1 OR ready_at IS NULL OR ready_at <= ?)';
  return open.all(db, `${open.select} WHERE completed IS NULL AND ${ready} ORDER BY position`, now);
}

export function countOpenJobs(db: Reader, accountId?: string): number {
  const [owned, owner] = conditionsWithValues([OF_ACCOUNT, accountId]);
  const sql = `SELECT COUNT(*) AS n FROM jobs WHERE ${owned}completed IS NULL`;
  return db.get<{ n: number }>(sql, ...owner)?.n ?? 0;
}

export function findNextRenderQueueItem(
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

export function accountIdsWithQueuedJobs(db: Reader): string[] {
  const sql = `SELECT DISTINCT account_id AS id FROM jobs
    WHERE completed IS NULL AND status = 'queued' AND outcome IS NULL`;
  return readIds(db, sql);
}

export function insertJob(tx: Transaction, job: NewJob): Job {
  return { ...job, position: jobs.insert(tx, job) };
}

export function updateJob(tx: Transaction, job: Job): Job {
  const { status, failWith, polls, outcome, result, started, completed, faults, released } = job;
  tx.run(
    `UPDATE jobs SET status = ?, fail_with = ?, polls = ?, outcome = ?, result = ?, started = ?, completed = ?, faults = ?,
       released = ? WHERE position = ?`,
    status,
    failWith,
    polls,
    outcome && JSON.stringify(outcome),
    result && JSON.stringify(result),
    started,
    completed,
    faults && JSON.stringify(faults),
    Number(released),
    job.position,
  );
  return job;
}

/**
 * The condition for each status. It repeats the condition of the fitting partial index, if there is one, so that SQLite
 * uses the index.
 */
const FILTERS: Record<JobStatus | 'open', string> = {
  open: 'completed IS NULL',
  queued: "completed IS NULL AND status = 'queued'",
  processing: "completed IS NULL AND status = 'processing'",
  succeeded: "status = 'succeeded'",
  failed: "status = 'failed'",
};

interface JobPage {
  accountId?: string | undefined;
  status?: keyof typeof FILTERS | undefined;
  limit: number;
  before?: number;
}

export function listJobs(db: Reader, { accountId, status, limit, before }: JobPage): Job[] {
  const values: SqlValue[] = [before ?? Number.MAX_SAFE_INTEGER, ...(accountId ? [accountId] : [])];
  const where = ['position < ?', ...(accountId ? ['account_id = ?'] : []), ...(status ? [FILTERS[status]] : [])];
  const sql = `${jobs.select} WHERE ${where.join(' AND ')} ORDER BY position DESC LIMIT ?`;
  return jobs.all(db, sql, ...values, limit);
}

export function findJobIdsWithWrongRefund(db: Reader, { after, last }: PositionRange): string[] {
  const sql = `SELECT j.id FROM jobs j
      LEFT JOIN ledger r ON r.account_id = j.account_id AND r.refund_of = j.charge
    WHERE j.position > ? AND j.position <= ? AND (j.status = 'failed') <> (r.n IS NOT NULL)`;
  return readIds(db, sql, after, last);
}

export function requireLegalJobStatusChange(from: JobStatus, to: JobStatus): void {
  const legal: readonly JobStatus[] = JOB_STATE_DEFINITIONS[from].to;
  if (!legal.includes(to)) throw new Error(`a job cannot go from ${from} to ${to}`);
}

export function isFinal(status: JobStatus): status is FinalStatus {
  return JOB_STATE_DEFINITIONS[status].isFinal;
}

export function isOpenStatus(status: unknown): boolean {
  return JOB_STATUSES.some((each) => each === status && !isFinal(each));
}

export const PROGRESSION_MODES = ['render', 'seconds', 'polls', 'manual'] as const;
export type ProgressionMode = (typeof PROGRESSION_MODES)[number];

const DEFAULT = '';

export const progressions = table('progression', {
  accountId: text,
  mode: text.of<ProgressionMode>(),
  /**
   * Seconds of the emulator's clock in the mode `seconds`, a number of polls in the mode `polls`, and null in the other
   * modes.
   */
  value: real.nullable(),
});

const ofAccount = progressions.omit('accountId');
export type JobProgression = RowOf<typeof ofAccount>;

const BY_RENDER: JobProgression = { mode: 'render', value: null };

export interface ProgressionWithScope extends JobProgression {
  accountId: string | undefined;
}

export function readProgression(db: Reader, accountId: string): JobProgression {
  return findStoredProgression(db, accountId) ?? findStoredProgression(db, DEFAULT) ?? BY_RENDER;
}

function findStoredProgression(db: Reader, accountId: string): JobProgression | undefined {
  return ofAccount.get(db, `${ofAccount.select} WHERE account_id = ?`, accountId);
}

export function readProgressionWithScope(db: Reader, accountId?: string): ProgressionWithScope {
  const own = accountId === undefined ? undefined : findStoredProgression(db, accountId);
  if (own) return { ...own, accountId };
  return { ...(findStoredProgression(db, DEFAULT) ?? BY_RENDER), accountId: undefined };
}

export function writeProgression(tx: Transaction, { mode, value }: JobProgression, accountId = DEFAULT): void {
  tx.run(
    `INSERT INTO progression (account_id, mode, value) VALUES (?, ?, ?)
     ON CONFLICT (account_id) DO UPDATE SET mode = excluded.mode, value = excluded.value`,
    accountId,
    mode,
    value,
  );
}

export function removeProgression(tx: Transaction, accountId: string): void {
  tx.run('DELETE FROM progression WHERE account_id = ?', accountId);
}

export const INTERRUPTED_ERROR: JobError = {
  code: 'interrupted',
  message: 'The emulator stopped while this call was waiting; the charge was refunded. Send the request again.',
};

export const STORAGE_FULL_ERROR: JobError = { code: 'storage_full', message: storageFullError().message };

export const TIMEOUT_ERROR: JobError = {
  code: 'render_failed',
  message:
    'The render did not end within a minute; its charge was refunded. Send fewer requests at the same time, or order a job and poll it.',
};

export function toJobError(error: unknown): JobError {
  if (error instanceof EmulatorError) return { code: error.code, message: error.message };
  return { code: 'render_failed', message: 'The render failed and its charge was refunded; send the request again.' };
}

const BLOCKED =
  "The engine's provider refused the prompt by its content policy; the charge was refunded. Change the prompt.";

export function requestedJobError(code: string): JobError {
  if (code === 'content_blocked') return { code, message: BLOCKED };
  return { code, message: `The render failed with ${code} on purpose; its charge was refunded.`, asked: true };
}
