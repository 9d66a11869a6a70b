import { askedError, INTERRUPTED, isFinal, type JobError, type JobOutcome, requireMove } from './job.ts';
import type { Job } from './job-store.ts';
import { isReady, type JobProgression } from './progression-store.ts';

/** What can happen to a job. */
export type Input =
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

/** Everything that an input can change. */
export type Moving = Pick<
  Job,
  | 'status'
  | 'waiter'
  | 'created'
  | 'started'
  | 'completed'
  | 'readyAt'
  | 'polls'
  | 'failWith'
  | 'faults'
  | 'outcome'
  | 'released'
>;

/** In the transaction of the job: the charge comes back, or the file enters the library; and the end is announced. */
export type Effect = 'refund' | 'deliver' | 'announce';

interface Step<Of> {
  job: Of;
  effects: readonly Effect[];
}

const NOTHING: readonly Effect[] = [];

/**
 * What an input makes of a job: no clock, no database. An outcome takes effect once the progression of the account
 * allows it. A final job does not change.
 */
export function step<Of extends Moving>(job: Of, input: Input, progression: JobProgression, now: number): Step<Of> {
  if (isFinal(job.status)) return { job, effects: NOTHING };
  const next = moved(job, input, now);
  if (input.kind === 'cut') return ended(next, { error: input.error }, now);
  if (next.outcome && settles(next, input) && isReady(next, progression, now)) return ended(next, next.outcome, now);
  return { job: next, effects: NOTHING };
}

function moved<Of extends Moving>(job: Of, input: Input, now: number): Of {
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
      if (job.waiter === 'call') return { ...job, outcome: { error: INTERRUPTED }, released: true };
      return job.outcome ? job : { ...job, status: 'queued', started: null };
    default:
      return job;
  }
}

/** After a restart, jobs are settled one by one. An unread job is settled later, so that its state can be seen. */
function settles({ waiter }: Moving, { kind }: Input): boolean {
  if (kind === 'restarted' || kind === 'started') return false;
  return kind !== 'rendered' || waiter !== null;
}

function decided<Of extends Moving>(job: Of, failure: string | undefined): Of {
  if (failure !== undefined) return { ...job, outcome: { error: askedError(failure) } };
  const fails = job.failWith !== null || (job.outcome !== null && 'error' in job.outcome);
  return fails ? { ...job, failWith: null, outcome: null, status: 'queued', started: null } : job;
}

function withoutPace(faults: Moving['faults']): Moving['faults'] {
  if (!faults) return faults;
  const { pace: _pace, ...others } = faults;
  return others;
}

function ended<Of extends Moving>(job: Of, outcome: JobOutcome, now: number): Step<Of> {
  const isFailed = 'error' in outcome;
  const status = isFailed ? 'failed' : 'succeeded';
  requireMove(job.status, status);
  const final = { ...job, status, outcome, started: job.started ?? now, completed: now };
  return { job: final, effects: [isFailed ? 'refund' : 'deliver', 'announce'] };
}
