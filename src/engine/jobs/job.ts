import { EmulatorError, storageFullError } from '../../base/errors.ts';
import type { StoredFile } from '../../media/render-request.ts';

export const MEDIA_KINDS = ['image', 'video', 'speech', 'music'] as const;
export type MediaKind = (typeof MEDIA_KINDS)[number];

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
export type JobOutcome = { file: StoredFile } | { error: JobError };

export interface JobError {
  code: string;
  message: string;
  /** Caused by a directive, a fault rule or a test. Not in the record of a job. */
  asked?: true;
}

export type JobResult =
  | { result_url: string; content_type: string; library_id: string; duration?: number }
  | { error: JobError };

/** An invalid move is a bug. */
export function requireJobTransition(from: JobStatus, to: JobStatus): void {
  const legal: readonly JobStatus[] = JOB_STATES[from].to;
  if (!legal.includes(to)) throw new Error(`a job cannot go from ${from} to ${to}`);
}

export function isFinal(status: JobStatus): status is FinalStatus {
  return JOB_STATES[status].isFinal;
}

export function isOpenStatus(status: unknown): boolean {
  return JOB_STATUSES.some((each) => each === status && !isFinal(each));
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

export function renderError(error: unknown): JobError {
  if (error instanceof EmulatorError) return { code: error.code, message: error.message };
  return { code: 'render_failed', message: 'The render failed and its charge was refunded; send the request again.' };
}

const BLOCKED =
  "The engine's provider refused the prompt by its content policy; the charge was refunded. Change the prompt.";

export function requestedJobError(code: string): JobError {
  if (code === 'content_blocked') return { code, message: BLOCKED };
  return { code, message: `The render failed with ${code} on purpose; its charge was refunded.`, asked: true };
}
