import type { Reader, Transaction } from '../database/transaction.ts';
import type { Job } from './job.ts';
import { AS_RENDERED, type Mode, type Moving, type Progression } from './progression.ts';

/** The account id under which the default progression, that of all other accounts, is stored. */
const DEFAULT = '';

const OF = 'SELECT mode, value FROM progression WHERE account_id = ?';

/** A progression and the account that it is set for; undefined for the default. */
export interface ProgressionInForce extends Progression {
  accountId: string | undefined;
}

/** What is in force for an account: its own progression, else the default. */
export function readProgression(db: Reader, accountId: string): Progression {
  return db.get<Progression>(OF, accountId) ?? db.get<Progression>(OF, DEFAULT) ?? AS_RENDERED;
}

/** The same with the account that it is set for; without an account the default. */
export function findProgression(db: Reader, accountId?: string): ProgressionInForce {
  const own = accountId === undefined ? undefined : db.get<Progression>(OF, accountId);
  if (own) return { ...own, accountId };
  return { ...(db.get<Progression>(OF, DEFAULT) ?? AS_RENDERED), accountId: undefined };
}

/** Sets the progression of one account, or the default. */
export function writeProgression(tx: Transaction, { mode, value }: Progression, accountId = DEFAULT): void {
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

/** A job that is not final, reduced to what decides when it will be. */
export interface OpenJob extends Moving, Pick<Job, 'position' | 'id' | 'accountId' | 'status'> {
  /** Whether its work is done. */
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

/** The plus has SQLite use the index of open jobs: an account has few of these among its many jobs. */
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

/** Oldest first, without those that are delayed until after `now`. */
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
