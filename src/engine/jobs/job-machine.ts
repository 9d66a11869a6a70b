import type { Transaction } from '../../base/database/transaction.ts';
import type { StoredFile } from '../../media/render-request.ts';
import {
  findJob,
  INTERRUPTED_ERROR,
  insertJob,
  isFinal,
  type Job,
  type JobError,
  type JobOutcome,
  type JobResult,
  type NewJob,
  type OpenJob,
  requestedJobError,
  requireJobTransition,
  STORAGE_FULL_ERROR,
  updateJob,
} from './job-store.ts';
import { finalFrom, isReady, type JobProgression, readProgression } from './progression-store.ts';

/** What can happen to a job. */
export type JobInput =
  /** The order of the job. Its file may exist already. */
  | { kind: 'ordered'; outcome?: JobOutcome | undefined }
  | { kind: 'started' }
  | { kind: 'rendered'; outcome: JobOutcome }
  | { kind: 'polled' }
  /** The job's time has come, so that it may become final. */
  | { kind: 'due' }
  /** Nobody has polled the job, so the fault that delays its end no longer applies. */
  | { kind: 'overdue' }
  /** A control operation ends the job. `failure` is an error code; without it, the job succeeds. */
  | { kind: 'finished'; failure?: string | undefined }
  /** The client that waited for the job has disconnected. */
  | { kind: 'hung_up' }
  /** The call that waited for the job cannot wait any longer. */
  | { kind: 'gave_up'; error: JobError }
  /** The job fails now, whatever its outcome and its progression. */
  | { kind: 'cut'; error: JobError }
  /** The process has ended and started again. */
  | { kind: 'restarted' };

/** The fields of a job on which a step depends. */
export type StepInput = Omit<OpenJob, 'position' | 'id' | 'accountId'>;

/** How a job ends. In the same transaction the charge comes back, or the file enters the library, and the end is announced. */
export type JobEnd = { kind: 'refund'; error: JobError } | { kind: 'deliver'; file: StoredFile };

/** What a job waits for, besides a worker if it has no file yet. */
export type NextChange =
  /** The job may become final at this time of the emulator's clock, in milliseconds. It may have passed. */
  | { at: number }
  /** The job's time has come, and its file does not exist yet. */
  | 'render'
  | 'poll'
  /** Only a control operation can end the job. */
  | 'hand'
  /** The job is final and waits for nothing. */
  | 'never';

export interface JobStep<Of> {
  job: Of;
  /** Null if the job does not end with this step. */
  end: JobEnd | null;
  next: NextChange;
}

/**
 * Returns the job after an input. Uses no clock and no database. An outcome takes effect once the progression of the
 * account allows it. A final job does not change.
 */
export function advanceJob<Of extends StepInput>(
  job: Of,
  input: JobInput,
  progression: JobProgression,
  now: number,
): JobStep<Of> {
  if (isFinal(job.status)) return { job, end: null, next: 'never' };
  const changed = moved(job, input, now);
  if (input.kind === 'cut') return ended(changed, { error: input.error }, now);
  const { outcome } = changed;
  if (outcome && mayEnd(changed, input) && isReady(changed, progression, now)) return ended(changed, outcome, now);
  return { job: changed, end: null, next: nextChangeOf(changed, progression, now) };
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
      // A job that is no longer processing was queued again and is rendered again.
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

/**
 * Whether the job may end with this input. If neither a call nor a flow run waits, it ends some time after its render or
 * after a restart, so that its state can be seen.
 */
function mayEnd({ waiter, released }: StepInput, { kind }: JobInput): boolean {
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
  const status = 'error' in outcome ? 'failed' : 'succeeded';
  requireJobTransition(job.status, status);
  const final = { ...job, status, outcome, started: job.started ?? now, completed: now };
  const end: JobEnd =
    'error' in outcome ? { kind: 'refund', error: outcome.error } : { kind: 'deliver', file: outcome.file };
  return { job: final, end, next: 'never' };
}

/** What the record of an ended job shows, and its object in the storage if it is stored there. */
export interface JobEndRecord {
  result: JobResult;
  objectId: string | null;
}

/** The effects of the end of a job on other tables. */
export interface JobEndEffects {
  /** The outcome of a job whose file exists already, so that it needs no work. Undefined otherwise. */
  outcomeOnDisk(tx: Transaction, job: NewJob): JobOutcome | undefined;
  refund(tx: Transaction, job: NewJob | Job, error: JobError): JobEndRecord;
  deliver(tx: Transaction, job: NewJob | Job, file: StoredFile): JobEndRecord;
  /** Adds the render to the library, and publishes the event. */
  announce(tx: Transaction, final: Job, objectId: string | null): void;
}

/** The only writer of jobs: reads a job, makes the step that an input asks for, and writes it with its effects. */
export class JobMachine {
  readonly #effects: JobEndEffects;
  readonly #onCommit: (job: Job, next: NextChange) => void;
  /** Jobs whose call returned `storage_full` and that are not refunded yet. They fail, whatever their outcome. */
  readonly #abandoned = new Set<string>();

  /** `onCommit` is called after the commit of each step, but not for a job that was final before. */
  constructor(effects: JobEndEffects, onCommit: (job: Job, next: NextChange) => void) {
    this.#effects = effects;
    this.#onCommit = onCommit;
  }

  /** Writes a new job: queued, or final if a call waits for it, its file exists and its progression allows it. */
  order(tx: Transaction, job: NewJob): Job {
    const outcome = job.waiter === 'call' ? this.#effects.outcomeOnDisk(tx, job) : undefined;
    const ordered = advanceJob(job, { kind: 'ordered', outcome }, readProgression(tx, job.accountId), tx.now);
    return this.#keep(tx, ordered, insertJob);
  }

  /** Applies an input to a job. Returns a final job unchanged. Throws for an unknown job. */
  apply(tx: Transaction, id: string, input: JobInput): Job {
    const job = findJob(tx, id);
    if (!job) throw new Error(`there is no job ${id}`);
    if (isFinal(job.status)) return job;
    const forced: JobInput = this.#abandoned.has(id) ? { kind: 'cut', error: STORAGE_FULL_ERROR } : input;
    const changed = advanceJob(job, forced, readProgression(tx, job.accountId), tx.now);
    return this.#keep(tx, changed, changed.job === job ? () => job : updateJob);
  }

  abandon(jobId: string): void {
    this.#abandoned.add(jobId);
  }

  forget(): void {
    this.#abandoned.clear();
  }

  /** Writes the job and the effects of its end in the transaction. After the commit, calls `#onCommit` with what comes next. */
  #keep<Of extends NewJob | Job>(
    tx: Transaction,
    { job, end, next }: JobStep<Of>,
    write: (tx: Transaction, job: Of) => Job,
  ): Job {
    const kept = end ? this.#end(tx, job, end, write) : write(tx, job);
    tx.onCommit(() => {
      if (next === 'never') this.#abandoned.delete(kept.id);
      this.#onCommit(kept, next);
    });
    return kept;
  }

  #end<Of extends NewJob | Job>(tx: Transaction, job: Of, end: JobEnd, write: (tx: Transaction, job: Of) => Job): Job {
    const { result, objectId } =
      end.kind === 'refund' ? this.#effects.refund(tx, job, end.error) : this.#effects.deliver(tx, job, end.file);
    const final = write(tx, { ...job, result });
    this.#effects.announce(tx, final, objectId);
    return final;
  }
}
