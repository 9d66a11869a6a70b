import type { Reader } from '../database/transaction.ts';
import type { Job } from './job.ts';
import type { Mode, Moving, Progression } from './progression.ts';

/** A job that is not final, with no more than what decides when it will be. */
export interface OpenJob extends Moving, Pick<Job, 'position' | 'id' | 'accountId' | 'status'> {
  /** Whether its work is over. */
  hasOutcome: boolean;
  progression: Progression;
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

/** The plus keeps SQLite to the index of open jobs: an account has few of these among many. */
const OF_ACCOUNT = 'AND +jobs.account_id = ?';

const OPEN_BY_ID = `${OPEN} AND id = ?`;

export function findOpenJob(db: Reader, id: string): OpenJob | undefined {
  const row = db.get<OpenRow>(OPEN_BY_ID, id);
  return row && toOpenJob(row);
}

/** Oldest first, of all accounts or of one. */
export function listOpenJobs(db: Reader, accountId?: string): OpenJob[] {
  const owner = accountId === undefined ? [] : [accountId];
  return db.all<OpenRow>(`${OPEN} ${owner.length > 0 ? OF_ACCOUNT : ''} ORDER BY position`, ...owner).map(toOpenJob);
}

/** Oldest first, without those that are slow until after `now`. */
export function listRipeJobs(db: Reader, now: number): OpenJob[] {
  const ripe = 'AND (released = 1 OR ready_at IS NULL OR ready_at <= ?)';
  return db.all<OpenRow>(`${OPEN} ${ripe} ORDER BY position`, now).map(toOpenJob);
}

/** How many there are, of all accounts or of one. */
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
