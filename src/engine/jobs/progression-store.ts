import type { Reader, Transaction } from '../../base/database/transaction.ts';
import { isFinal, type Job, type JobStatus, type OpenStatus } from './job.ts';
import { findJob } from './job-store.ts';

/** The account id under which the default progression, that of all other accounts, is stored. */
const DEFAULT = '';

const OF = 'SELECT mode, value FROM progression WHERE account_id = ?';

/** A progression and the account that it is set for; undefined for the default. */
export interface ProgressionInForce extends JobProgression {
  accountId: string | undefined;
}

/** What is in force for an account: its own progression, else the default. */
export function readProgression(db: Reader, accountId: string): JobProgression {
  return db.get<JobProgression>(OF, accountId) ?? db.get<JobProgression>(OF, DEFAULT) ?? AS_RENDERED;
}

/** The same with the account that it is set for; without an account the default. */
export function findProgression(db: Reader, accountId?: string): ProgressionInForce {
  const own = accountId === undefined ? undefined : db.get<JobProgression>(OF, accountId);
  if (own) return { ...own, accountId };
  return { ...(db.get<JobProgression>(OF, DEFAULT) ?? AS_RENDERED), accountId: undefined };
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

/**
 * When a job that has an outcome may be final: not before this time (milliseconds of the emulator's clock), nor before
 * this many polls. A job that only a release makes final has an infinite time.
 */
export interface Readiness {
  at: number;
  polls: number;
}

export type Moving = Pick<Job, 'awaited' | 'created' | 'readyAt' | 'released' | 'polls' | 'faults'>;

/** How jobs of a mode become final; `value` is the number of seconds or polls. */
interface ModeRow {
  ready(job: Moving, value: number): Readiness;
  shown(job: Moving & { status: JobStatus }, value: number, now: number): JobStatus;
}

/**
 * The modes in which jobs become final: as fast as they render, by the emulator's clock, by polls, or by hand.
 * A requested delay applies in every mode. A call that waits does not poll, so polls do not delay it. Where the mode
 * decides when a job is final, it also decides the state that is shown, so that the same reads see the same states.
 */
const PROGRESSIONS = {
  render: {
    ready: (job) => ({ at: slowUntil(job), polls: 0 }),
    shown: ({ status }) => status,
  },
  seconds: {
    ready: (job, seconds) => ({ at: Math.max(slowUntil(job), endOf(job, seconds)), polls: 0 }),
    shown: (job, seconds, now) => stage((now - job.created) / (endOf(job, seconds) - job.created)),
  },
  polls: {
    ready: (job, polls) => ({ at: slowUntil(job), polls: job.awaited ? 0 : polls }),
    shown: (job, polls) => (job.awaited ? job.status : stage(job.polls / (polls || 1))),
  },
  manual: {
    ready: () => ({ at: Number.POSITIVE_INFINITY, polls: 0 }),
    shown: () => 'processing',
  },
} as const satisfies Record<string, ModeRow>;

export type Mode = keyof typeof PROGRESSIONS;

export const MODES = Object.keys(PROGRESSIONS) as [Mode, ...Mode[]];

/** `value` is seconds of the emulator's clock since the order, or a number of polls; null in the other modes. */
export interface JobProgression {
  mode: Mode;
  value: number | null;
}

export const AS_RENDERED: JobProgression = { mode: 'render', value: null };

/** The poll at which a job is final that a fault rule makes late. */
const LATE_POLLS = 4;

export function isLate({ faults, released }: Pick<Moving, 'faults' | 'released'>): boolean {
  return faults?.pace === 'late' && !released;
}

/** When a job may be final, with the polls that a fault rule adds. */
export function readinessOf(job: Moving, { mode, value }: JobProgression): Readiness {
  if (job.released) return { at: 0, polls: 0 };
  const { at, polls } = rowOf(mode).ready(job, value ?? 0);
  return { at, polls: isLate(job) ? Math.max(polls, LATE_POLLS) : polls };
}

/** Whether a job is final as soon as it has an outcome. */
export function isReady(job: Moving, progression: JobProgression, now: number): boolean {
  const { at, polls } = readinessOf(job, progression);
  return at <= now && polls <= job.polls;
}

/** For this share of its time or polls a job is shown as queued. */
const QUEUED_SHARE = 1 / 3;

export function shownStatus(
  job: Moving & Pick<Job, 'status'>,
  { mode, value }: JobProgression,
  now: number,
): JobStatus {
  if (isFinal(job.status) || job.released) return job.status;
  return rowOf(mode).shown(job, value ?? 0, now);
}

function rowOf(mode: Mode): ModeRow {
  return PROGRESSIONS[mode];
}

/** Queued for the first third of its seconds or polls, then processing. */
function stage(share: number): OpenStatus {
  return share <= QUEUED_SHARE ? 'queued' : 'processing';
}

function slowUntil({ readyAt }: Moving): number {
  return readyAt ?? 0;
}

function endOf({ created }: Moving, seconds: number): number {
  return created + Math.round(seconds * 1000);
}

/** A job that is not final, reduced to what decides when it will be. */
export interface OpenJob extends Moving, Pick<Job, 'position' | 'id' | 'accountId' | 'status'> {
  hasOutcome: boolean;
  progression: JobProgression;
}

export function findOpenJob(db: Reader, id: string): OpenJob | undefined {
  const job = findJob(db, id);
  if (!job || isFinal(job.status)) return undefined;
  return { ...job, hasOutcome: job.outcome !== null, progression: readProgression(db, job.accountId) };
}

/** A job without a due time of its own was due when it was ordered. */
export function dueTime(job: OpenJob): number {
  return Math.max(job.created, readinessOf(job, job.progression).at);
}
