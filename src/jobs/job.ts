import type { JobFaults } from '../faults/applied-fault.ts';
import type { JobRender } from '../render/render-request.ts';

export const MEDIUMS = ['image', 'video', 'speech', 'music'] as const;
export type Medium = (typeof MEDIUMS)[number];

/**
 * Every state of a job: whether it is an end, and where a job may go from it; when it may, `PROGRESSIONS` says. Back to
 * `queued` goes what a crash cut off.
 */
export const JOB_STATES = {
  queued: { isFinal: false, to: ['processing', 'succeeded', 'failed'] },
  processing: { isFinal: false, to: ['queued', 'succeeded', 'failed'] },
  succeeded: { isFinal: true, to: [] },
  failed: { isFinal: true, to: [] },
} as const;

export type JobStatus = keyof typeof JOB_STATES;
/** The ends of a job. */
export type FinalStatus = {
  [Status in JobStatus]: (typeof JOB_STATES)[Status]['isFinal'] extends true ? Status : never;
}[JobStatus];
export type OpenStatus = Exclude<JobStatus, FinalStatus>;

export const JOB_STATUSES = Object.keys(JOB_STATES) as JobStatus[];
export const FINAL_STATUSES = JOB_STATUSES.filter(isEnd);

/** What the work came to, before anyone was told. */
export type Outcome = FinishedFile | { error: JobError };

export interface FinishedFile {
  /** Name of the file in storage. */
  file: string;
  bytes: number;
  contentType: string;
  /** Real length, of what has one. */
  seconds?: number;
}

export interface JobError {
  code: string;
  message: string;
}

/** What the record of a final job says beyond its parameters. */
export type JobResult =
  | { result_url: string; content_type: string; library_id: string; duration?: number }
  | { error: JobError };

/** One render that was paid for: one take. Times are milliseconds of the emulator's clock. */
export interface Job {
  position: number;
  id: string;
  accountId: string;
  workspaceId: string;
  medium: Medium;
  status: JobStatus;
  model: string;
  /** An open call waits for it, or a run. */
  awaited: boolean;
  /** Whoever waits for it is a run, which outlives the process. */
  ofRun: boolean;
  /** The request that ordered it, at once or by a run; null where none did, or where that is not on record. */
  requestId: string | null;
  take: number | null;
  seed: number | null;
  /** The effective parameters, as the record shows them. */
  parameters: Record<string, unknown>;
  render: JobRender;
  store: boolean;
  credits: number;
  /** The n of the ledger entry that paid for it. */
  charge: number;
  baseUrl: string;
  /** Not final before this time. */
  readyAt: number | null;
  /** The code with which it is to fail. */
  doomed: string | null;
  faults: JobFaults | null;
  /** Somebody asked for its end: it is final as soon as its outcome is there. */
  released: boolean;
  polls: number;
  outcome: Outcome | null;
  result: JobResult | null;
  created: number;
  started: number | null;
  completed: number | null;
}

/** A job that is not written yet. */
export type NewJob = Omit<Job, 'position'>;

/** What an order decides of its job. */
export type Ordered = Omit<
  NewJob,
  'status' | 'polls' | 'released' | 'outcome' | 'result' | 'created' | 'started' | 'completed'
>;

/** A job as it is ordered at `now`: queued, and nothing of its work is done. */
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

/** Throws on a move that the table does not have: a bug, not a user's fault. */
export function requireMove(from: JobStatus, to: JobStatus): void {
  const legal: readonly JobStatus[] = JOB_STATES[from].to;
  if (!legal.includes(to)) throw new Error(`a job cannot go from ${from} to ${to}`);
}

export function isFinal(status: JobStatus): boolean {
  return JOB_STATES[status].isFinal;
}

/** Whether what some record calls a state is one that a job does not stay in. */
export function isUnderWay(status: unknown): boolean {
  return JOB_STATUSES.some((each) => each === status && !isFinal(each));
}

function isEnd(status: JobStatus): status is FinalStatus {
  return isFinal(status);
}
