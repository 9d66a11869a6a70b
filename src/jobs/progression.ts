import { isFinal, type Job, type JobStatus, type OpenStatus } from './job.ts';

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

/** How jobs of a mode come to their end, by what the progression says: seconds, or polls. */
interface ModeRow {
  ready(job: Moving, value: number): Readiness;
  /** What a look at a job shows that is not final, and whose state is `status`. */
  shown(job: Moving & { status: JobStatus }, value: number, now: number): JobStatus;
}

/**
 * Every way in which jobs come to their end: as fast as they render, by the emulator's clock, by being polled, or by hand.
 * What was asked to be slow is so in every mode; a call that waits polls nothing, and is not held for polls. Where the
 * mode decides when a job ends, it also decides how far it seems to be, so that the same looks see the same.
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
export interface Progression {
  mode: Mode;
  value: number | null;
}

/** How jobs move until they are told otherwise. */
export const AS_RENDERED: Progression = { mode: 'render', value: null };

/** At which read a job is final that a fault rule makes late. */
const LATE_POLLS = 4;

/** Whether a job waits for its fourth read, or for the time after which it does no more. */
export function isLate({ faults, released }: Pick<Moving, 'faults' | 'released'>): boolean {
  return faults?.pace === 'late' && !released;
}

/** One that a fault rule makes late waits for its reads besides. */
export function readinessOf(job: Moving, { mode, value }: Progression): Readiness {
  if (job.released) return { at: 0, polls: 0 };
  const { at, polls } = rowOf(mode).ready(job, value ?? 0);
  return { at, polls: isLate(job) ? Math.max(polls, LATE_POLLS) : polls };
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

/** What a look at a job shows. */
export function shownStatus(job: Moving & Pick<Job, 'status'>, { mode, value }: Progression, now: number): JobStatus {
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
