import type { Reader } from '../../base/database/reader.ts';
import { type RowOf, real, table, text } from '../../base/database/table.ts';
import type { Transaction } from '../../base/database/transaction.ts';
import type { JobPace } from '../faults/applied-fault.ts';
import { isFinal, type JobStatus, type OpenJob, type OpenStatus } from './job-store.ts';

const DEFAULT = '';

export const progressions = table('progression', {
  /** The id of the account; empty for the default progression. */
  accountId: text,
  mode: text.of<Mode>(),
  /** In seconds of the emulator's clock, or in polls; null in the other modes. */
  value: real.nullable(),
});

const ofAccount = progressions.omit('accountId');
const OF_ACCOUNT = `${ofAccount.select} WHERE account_id = ?`;

export type JobProgression = RowOf<typeof ofAccount>;

/** A progression and its account, which is undefined for the default. */
export interface AccountProgression extends JobProgression {
  accountId: string | undefined;
}

export function readProgression(db: Reader, accountId: string): JobProgression {
  return findStoredProgression(db, accountId) ?? findStoredProgression(db, DEFAULT) ?? RENDER_PROGRESSION;
}

function findStoredProgression(db: Reader, accountId: string): JobProgression | undefined {
  return ofAccount.get(db, OF_ACCOUNT, accountId);
}

export function findProgression(db: Reader, accountId?: string): AccountProgression {
  const own = accountId === undefined ? undefined : findStoredProgression(db, accountId);
  if (own) return { ...own, accountId };
  return { ...(findStoredProgression(db, DEFAULT) ?? RENDER_PROGRESSION), accountId: undefined };
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
 * A job with an outcome is final from this time (milliseconds of the emulator's clock) and this many polls on. The time is
 * infinite if only a release makes it final.
 */
export interface FinalFrom {
  at: number;
  polls: number;
}

type Paced = Pick<OpenJob, 'waiter' | 'created' | 'readyAt' | 'released' | 'polls' | 'faults'>;

/** A mode of progression. `value` is the number of seconds or polls. */
interface ModeRow {
  ready(job: Paced, value: number): FinalFrom;
  shown(job: Paced & { status: JobStatus }, value: number, now: number): JobStatus;
}

/**
 * When a job is final, and the shown state until then. The mode decides both, so that equal reads see equal states. A
 * requested delay applies in every mode. A call that waits does not poll, so polls do not delay it.
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
    ready: (job, polls) => ({ at: slowUntil(job), polls: job.waiter === null ? polls : 0 }),
    shown: (job, polls) => (job.waiter === null ? stage(job.polls / (polls || 1)) : job.status),
  },
  manual: {
    ready: () => ({ at: Number.POSITIVE_INFINITY, polls: 0 }),
    shown: () => 'processing',
  },
} as const satisfies Record<string, ModeRow>;

export type Mode = keyof typeof PROGRESSIONS;

export const MODES = Object.keys(PROGRESSIONS) as [Mode, ...Mode[]];

const RENDER_PROGRESSION: JobProgression = { mode: 'render', value: null };

/** The poll at which a job with this fault is final. One with `late_end` waits until nobody polls it. */
const LATE_POLLS: { [Pace in JobPace]?: number } = { late: 4, late_end: Number.POSITIVE_INFINITY };

export function isLate(job: Pick<Paced, 'faults' | 'released'>): boolean {
  return latePolls(job) > 0;
}

function latePolls({ faults, released }: Pick<Paced, 'faults' | 'released'>): number {
  return released || !faults?.pace ? 0 : (LATE_POLLS[faults.pace] ?? 0);
}

export function finalFrom(job: Paced, { mode, value }: JobProgression): FinalFrom {
  if (job.released) return { at: 0, polls: 0 };
  const { at, polls } = rowOf(mode).ready(job, value ?? 0);
  return { at, polls: Math.max(polls, latePolls(job)) };
}

export function isReady(job: Paced, progression: JobProgression, now: number): boolean {
  const { at, polls } = finalFrom(job, progression);
  return at <= now && polls <= job.polls;
}

/** When a job is due, by default at the time of its order. */
export function dueTime(job: Paced, progression: JobProgression): number {
  return Math.max(job.created, finalFrom(job, progression).at);
}

/** The share of its time or polls in which a job is shown as queued. */
const QUEUED_SHARE = 1 / 3;

export function shownStatus(
  job: Paced & Pick<OpenJob, 'status'>,
  { mode, value }: JobProgression,
  now: number,
): JobStatus {
  if (isFinal(job.status) || job.released) return job.status;
  return rowOf(mode).shown(job, value ?? 0, now);
}

function rowOf(mode: Mode): ModeRow {
  return PROGRESSIONS[mode];
}

function stage(share: number): OpenStatus {
  return share <= QUEUED_SHARE ? 'queued' : 'processing';
}

function slowUntil({ readyAt }: Paced): number {
  return readyAt ?? 0;
}

function endOf({ created }: Paced, seconds: number): number {
  return created + Math.round(seconds * 1000);
}
