import {
  INTERRUPTED_ERROR,
  isFinal,
  type JobError,
  type JobOutcome,
  requestedJobError,
  requireJobTransition,
} from './job.ts';
import type { OpenJob } from './job-store.ts';
import { finalFrom, isReady, type JobProgression } from './progression-store.ts';

/** What can happen to a job. */
export type JobInput =
  /** It is ordered, and its file may exist already. */
  | { kind: 'ordered'; outcome?: JobOutcome | undefined }
  | { kind: 'started' }
  | { kind: 'rendered'; outcome: JobOutcome }
  | { kind: 'polled' }
  /** It may be final by now. */
  | { kind: 'due' }
  /** Nobody polled it, so its fault no longer delays it. */
  | { kind: 'overdue' }
  /** A control operation decides its end. `failure` is an error code; without it, the job succeeds. */
  | { kind: 'finished'; failure?: string | undefined }
  /** The client of its call has disconnected. */
  | { kind: 'hung_up' }
  /** Its call cannot wait any longer. */
  | { kind: 'gave_up'; error: JobError }
  /** Whatever its outcome and its progression. */
  | { kind: 'cut'; error: JobError }
  /** The process has ended, and started again. */
  | { kind: 'restarted' };

/** Everything that a step depends on. */
export type StepInput = Omit<OpenJob, 'position' | 'id' | 'accountId'>;

/** In the transaction of the job: the charge comes back, or the file enters the library; and the end is announced. */
export type JobEffect = 'refund' | 'deliver' | 'announce';

/** What a job waits for, besides a worker if it has no file yet. */
export type NextChange =
  /** A time of the emulator's clock, in milliseconds. If it has passed, the job can become final now. */
  | { at: number }
  /** Its time has come, and its file does not exist yet. */
  | 'render'
  | 'poll'
  /** A control operation. */
  | 'hand'
  /** It is final. */
  | 'never';

export interface JobStep<Of> {
  job: Of;
  effects: readonly JobEffect[];
  next: NextChange;
}

const NOTHING: readonly JobEffect[] = [];

/**
 * What an input makes of a job: no clock, no database. An outcome takes effect once the progression of the account
 * allows it. A final job does not change.
 */
export function advanceJob<Of extends StepInput>(
  job: Of,
  input: JobInput,
  progression: JobProgression,
  now: number,
): JobStep<Of> {
  if (isFinal(job.status)) return { job, effects: NOTHING, next: 'never' };
  const changed = moved(job, input, now);
  if (input.kind === 'cut') return ended(changed, { error: input.error }, now);
  const { outcome } = changed;
  if (outcome && settles(changed, input) && isReady(changed, progression, now)) return ended(changed, outcome, now);
  return { job: changed, effects: NOTHING, next: nextChangeOf(changed, progression, now) };
}

export function nextChangeOf(job: StepInput, progression: JobProgression, now: number): NextChange {
  const { at, polls } = finalFrom(job, progression);
  if (at === Number.POSITIVE_INFINITY) return 'hand';
  if (at > now) return { at };
  if (polls > job.polls) return 'poll';
  return job.outcome ? { at } : 'render';
}

function moved<Of extends StepInput>(job: Of, input: JobInput, now: number): Of {
  switch (input.kind) {
    case 'ordered':
      return input.outcome ? { ...job, outcome: input.outcome } : job;
    case 'started':
      return job.status === 'queued' ? { ...job, status: 'processing', started: now } : job;
    case 'rendered':
      // A job that was queued again in the meantime is rendered again.
      return job.status === 'processing' ? { ...job, outcome: input.outcome } : job;
    case 'polled':
      return { ...job, polls: job.polls + 1 };
    case 'overdue':
      return { ...job, faults: withoutPace(job.faults) };
    case 'finished':
      return { ...decided(job, input.failure), released: true };
    case 'hung_up':
      return { ...job, released: true };
    case 'gave_up':
      return job.outcome ? job : { ...job, outcome: { error: input.error } };
    case 'restarted':
      if (job.waiter === 'call') return { ...job, outcome: { error: INTERRUPTED_ERROR }, released: true };
      return job.outcome || job.status === 'queued' ? job : { ...job, status: 'queued', started: null };
    default:
      return job;
  }
}

/** A job that nobody waits for is settled later, so that its state can be seen. */
function settles({ waiter, released }: StepInput, { kind }: JobInput): boolean {
  return waiter !== null || released || (kind !== 'rendered' && kind !== 'restarted');
}

function decided<Of extends StepInput>(job: Of, failure: string | undefined): Of {
  if (failure !== undefined) return { ...job, outcome: { error: requestedJobError(failure) } };
  const fails = job.failWith !== null || (job.outcome !== null && 'error' in job.outcome);
  return fails ? { ...job, failWith: null, outcome: null, status: 'queued', started: null } : job;
}

function withoutPace(faults: StepInput['faults']): StepInput['faults'] {
  if (!faults) return faults;
  const { pace: _pace, ...others } = faults;
  return others;
}

function ended<Of extends StepInput>(job: Of, outcome: JobOutcome, now: number): JobStep<Of> {
  const isFailed = 'error' in outcome;
  const status = isFailed ? 'failed' : 'succeeded';
  requireJobTransition(job.status, status);
  const final = { ...job, status, outcome, started: job.started ?? now, completed: now };
  return { job: final, effects: [isFailed ? 'refund' : 'deliver', 'announce'], next: 'never' };
}
