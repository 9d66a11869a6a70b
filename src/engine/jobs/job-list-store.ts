import type { Positions, Reader, SqlValue } from '../../base/database/transaction.ts';
import type { Job, JobStatus } from './job.ts';
import { JOB, type JobRow, toJob } from './job-store.ts';
import type { Mode, OpenJob } from './progression-store.ts';

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
  return db
    .all<{ id: string }>(
      `SELECT j.id FROM jobs j
         LEFT JOIN ledger r ON r.account_id = j.account_id AND r.refund_of = j.charge
       WHERE j.position > ? AND j.position <= ? AND (j.status = 'failed') <> (r.n IS NOT NULL)`,
      after,
      last,
    )
    .map(({ id }) => id);
}

interface OpenRow extends Omit<OpenJob, 'awaited' | 'released' | 'hasOutcome' | 'progression' | 'faults'> {
  faults: string | null;
  awaited: number;
  released: number;
  hasOutcome: number;
  mode: Mode;
  value: number | null;
}

const OPEN = `SELECT position, id, jobs.account_id AS accountId, status, awaited, created,
    ready_at AS readyAt, released, polls, faults, outcome IS NOT NULL AS hasOutcome,
    COALESCE(own.mode, general.mode, 'render') AS mode,
    CASE WHEN own.mode IS NULL THEN general.value ELSE own.value END AS value
  FROM jobs LEFT JOIN progression own ON own.account_id = jobs.account_id
    LEFT JOIN progression general ON general.account_id = ''
  WHERE completed IS NULL`;

/** The plus makes SQLite use the index of open jobs, because an account has few open jobs. */
const OF_ACCOUNT = 'AND +jobs.account_id = ?';

export function openJobIds(db: Reader, accountId?: string): string[] {
  const owner = accountId === undefined ? [] : [accountId];
  const sql = `SELECT id FROM jobs WHERE completed IS NULL ${owner.length > 0 ? OF_ACCOUNT : ''} ORDER BY position`;
  return db.all<{ id: string }>(sql, ...owner).map(({ id }) => id);
}

/** Oldest first, without jobs that are delayed beyond `now`. */
export function listReadyJobs(db: Reader, now: number): OpenJob[] {
  const ready = 'AND (released = 1 OR ready_at IS NULL OR ready_at <= ?)';
  return db.all<OpenRow>(`${OPEN} ${ready} ORDER BY position`, now).map(toOpenJob);
}

export function countOpenJobs(db: Reader, accountId?: string): number {
  const owner = accountId === undefined ? [] : [accountId];
  const sql = `SELECT COUNT(*) AS n FROM jobs WHERE completed IS NULL
    ${owner.length > 0 ? OF_ACCOUNT : ''}`;
  return db.get<{ n: number }>(sql, ...owner)?.n ?? 0;
}

function toOpenJob({ mode, value, ...row }: OpenRow): OpenJob {
  return {
    ...row,
    awaited: row.awaited === 1,
    released: row.released === 1,
    hasOutcome: row.hasOutcome === 1,
    faults: row.faults === null ? null : JSON.parse(row.faults),
    progression: { mode, value },
  };
}
