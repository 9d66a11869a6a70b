import { EmulatorError, storageFull } from '../../base/errors.ts';
import type { JobRender } from '../../media/render-request.ts';
import type { JobFaults } from '../faults/applied-fault.ts';

export const MEDIUMS = ['image', 'video', 'speech', 'music'] as const;
export type Medium = (typeof MEDIUMS)[number];

/** Whether each state is final, and the next states. `PROGRESSIONS` decides when. A crash puts a job back to `queued`. */
export const JOB_STATES = {
  queued: { isFinal: false, to: ['processing', 'succeeded', 'failed'] },
  processing: { isFinal: false, to: ['queued', 'succeeded', 'failed'] },
  succeeded: { isFinal: true, to: [] },
  failed: { isFinal: true, to: [] },
} as const;

export type JobStatus = keyof typeof JOB_STATES;
export type FinalStatus = {
  [Status in JobStatus]: (typeof JOB_STATES)[Status]['isFinal'] extends true ? Status : never;
}[JobStatus];
export type OpenStatus = Exclude<JobStatus, FinalStatus>;

export const JOB_STATUSES = Object.keys(JOB_STATES) as JobStatus[];
export const FINAL_STATUSES = JOB_STATUSES.filter(isFinal);

/** Takes effect when the job is settled. */
export type JobOutcome = FinishedFile | { error: JobError };

export interface FinishedFile {
  file: string;
  bytes: number;
  contentType: string;
  /** Measured, for sound and clips. */
  seconds?: number;
}

export interface JobError {
  code: string;
  message: string;
  /** Caused by a directive, a fault rule or a test. Not in the record of a job. */
  asked?: true;
}

export type JobResult =
  | { result_url: string; content_type: string; library_id: string; duration?: number }
  | { error: JobError };

/** One paid render. Times are milliseconds of the emulator's clock. */
export interface Job {
  position: number;
  id: string;
  accountId: string;
  workspaceId: string;
  medium: Medium;
  status: JobStatus;
  model: string;
  /** An open call, or a run, which outlives the process. */
  waiter: 'call' | 'run' | null;
  /** Null if no request ordered it, or if the request is not on record. */
  requestId: string | null;
  take: number | null;
  seed: number | null;
  parameters: Record<string, unknown>;
  render: JobRender;
  store: boolean;
  credits: number;
  /** The `n` of the ledger entry that paid for it. */
  charge: number;
  baseUrl: string;
  /** The job is not final before this time. */
  readyAt: number | null;
  failWith: string | null;
  faults: JobFaults | null;
  /** The job is final once it has an outcome. */
  released: boolean;
  polls: number;
  outcome: JobOutcome | null;
  result: JobResult | null;
  created: number;
  started: number | null;
  completed: number | null;
}

export type NewJob = Omit<Job, 'position'>;

export type Ordered = Omit<
  NewJob,
  'status' | 'polls' | 'released' | 'outcome' | 'result' | 'created' | 'started' | 'completed'
>;

export function orderedJob(ordered: Ordered, now: number): NewJob {
  return {
    ...ordered,
    status: 'queued',
    released: false,
    polls: 0,
    outcome: null,
    result: null,
    created: now,
    started: null,
    completed: null,
  };
}

/** An invalid move is a bug. */
export function requireMove(from: JobStatus, to: JobStatus): void {
  const legal: readonly JobStatus[] = JOB_STATES[from].to;
  if (!legal.includes(to)) throw new Error(`a job cannot go from ${from} to ${to}`);
}

export function isFinal(status: JobStatus): status is FinalStatus {
  return JOB_STATES[status].isFinal;
}

export function isUnderWay(status: unknown): boolean {
  return JOB_STATUSES.some((each) => each === status && !isFinal(each));
}

export const INTERRUPTED: JobError = {
  code: 'interrupted',
  message: 'The emulator stopped while this call was waiting; the charge was refunded. Send the request again.',
};

export const NO_ROOM: JobError = { code: 'storage_full', message: storageFull().message };

export const TOO_LATE: JobError = {
  code: 'render_failed',
  message:
    'The render did not end within a minute; its charge was refunded. Send fewer requests at the same time, or order a job and poll it.',
};

export function renderError(error: unknown): JobError {
  if (error instanceof EmulatorError) return { code: error.code, message: error.message };
  return { code: 'render_failed', message: 'The render failed and its charge was refunded; send the request again.' };
}

const BLOCKED =
  "The engine's provider refused the prompt by its content policy; the charge was refunded. Change the prompt.";

export function askedError(code: string): JobError {
  if (code === 'content_blocked') return { code, message: BLOCKED };
  return { code, message: `The render failed with ${code} on purpose; its charge was refunded.`, asked: true };
}
