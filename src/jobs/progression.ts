import { isFinal, type Job, type JobStatus, type OpenStatus } from './job.ts';

/** How jobs come to their end: as fast as they render, by the emulator's clock, by being polled, or by hand. */
export const MODES = ['render', 'seconds', 'polls', 'manual'] as const;
export type Mode = (typeof MODES)[number];

/** `value` is seconds of the emulator's clock since the order, or a number of polls; null in the other modes. */
export interface Progression {
  mode: Mode;
  value: number | null;
}

/** How jobs move until they are told otherwise. */
export const AS_RENDERED: Progression = { mode: 'render', value: null };

/**
 * When a job whose outcome is there may be final: not before this time (milliseconds of the emulator's clock),
 * nor before it has been polled so often. One that only a release makes final is never due.
 */
export interface Readiness {
  at: number;
  polls: number;
}

/** What of a job decides when it is ready. */
export type Moving = Pick<Job, 'awaited' | 'created' | 'readyAt' | 'released' | 'polls' | 'faults'>;

/** At which read a job is final that a fault rule makes late. */
const LATE_POLLS = 4;

/** Whether a job waits for its fourth read, or for the time after which it does no more. */
export function isLate({ faults, released }: Pick<Moving, 'faults' | 'released'>): boolean {
  return faults?.pace === 'late' && !released;
}

/**
 * What was asked to be slow is so in every mode; a call that waits polls nothing, and is not held for polls. One that a
 * fault rule makes late waits for its reads besides.
 */
export function readinessOf(job: Moving, progression: Progression): Readiness {
  if (job.released) return { at: 0, polls: 0 };
  const { at, polls } = readinessIn(job, progression);
  return { at, polls: isLate(job) ? Math.max(polls, LATE_POLLS) : polls };
}

function readinessIn(job: Moving, { mode, value }: Progression): Readiness {
  if (mode === 'manual') return { at: Number.POSITIVE_INFINITY, polls: 0 };
  const slow = job.readyAt ?? 0;
  if (mode === 'seconds') return { at: Math.max(slow, endOf(job, value)), polls: 0 };
  return { at: slow, polls: mode === 'polls' && !job.awaited ? (value ?? 0) : 0 };
}

/** Whether a job is final as soon as its outcome is there. */
export function isReady(job: Moving, progression: Progression, now: number): boolean {
  const { at, polls } = readinessOf(job, progression);
  return at <= now && polls <= job.polls;
}

/** How far an open job is: when it is due (milliseconds), or what share of its polls there were; null where nothing tells. */
export interface Progress {
  mode: Mode;
  due: number | null;
  share: number | null;
}

export function progressOf(job: Moving, progression: Progression): Progress {
  const { at, polls } = readinessOf(job, progression);
  const isTimed = at > 0 && Number.isFinite(at);
  return {
    mode: progression.mode,
    due: isTimed ? at : null,
    share: polls > 0 ? Math.min(1, job.polls / polls) : null,
  };
}

/** What part of its way a job shows itself as queued. */
const QUEUED_SHARE = 1 / 3;

/**
 * What a look at a job shows. Where the mode decides when it ends, it also decides how far it seems to be, so that the
 * same looks see the same: queued for the first third of its seconds or polls, then processing; by hand, processing.
 */
export function shownStatus(job: Moving & Pick<Job, 'status'>, { mode, value }: Progression, now: number): JobStatus {
  if (isFinal(job.status) || job.released) return job.status;
  if (mode === 'manual') return 'processing';
  if (mode === 'seconds') {
    return stage((now - job.created) / (endOf(job, value) - job.created));
  }
  if (mode === 'polls' && !job.awaited) return stage(job.polls / (value ?? 1));
  return job.status;
}

function stage(share: number): OpenStatus {
  return share <= QUEUED_SHARE ? 'queued' : 'processing';
}

function endOf({ created }: Moving, seconds: number | null): number {
  return created + Math.round((seconds ?? 0) * 1000);
}
