import type { Transaction } from '../../base/database/transaction.ts';
import type { StoredFile } from '../../media/render-request.ts';
import type { JobPace } from '../faults/request-faults.ts';
import {
  findJob,
  INTERRUPTED_ERROR,
  insertJob,
  isFinal,
  type Job,
  type JobError,
  type JobOutcome,
  type JobProgression,
  type JobResult,
  type JobStatus,
  type NewJob,
  type OpenJob,
  type OpenStatus,
  type ProgressionMode,
  readProgression,
  requestedJobError,
  requireLegalJobStatusChange,
  STORAGE_FULL_ERROR,
  updateJob,
} from './job-store.ts';

export type JobTransitionInput =
  /** The job is new. It has an outcome if its file exists already. */
  | { kind: 'added'; outcome?: JobOutcome | undefined }
  | { kind: 'started' }
  | { kind: 'rendered'; outcome: JobOutcome }
  | { kind: 'polled' }
  /** The job becomes final if it has an outcome and its progression, delay and fault allow it. */
  | { kind: 'due' }
  /** The time is over for which the fault `late` or `late_end` delays the end of the job. */
  | { kind: 'overdue' }
  /** A control operation ends the job. `failure` is an error code; without it, the job succeeds if its render does. */
  | { kind: 'finished'; failure?: string | undefined }
  /** The client that waited for the job has disconnected. */
  | { kind: 'hung_up' }
  /** The call that waited for the job cannot wait any longer. */
  | { kind: 'gave_up'; error: JobError }
  /** The job fails now, whatever its outcome and its progression. */
  | { kind: 'cut'; error: JobError }
  | { kind: 'restarted' };

export type JobTransitionState = Omit<OpenJob, 'position' | 'id' | 'accountId'>;

/** What the end of an open job waits for. A queued job without an outcome is also in the queue of renders. */
export type JobEndCondition =
  /** The job may become final at this time of the emulator's clock, in milliseconds. The time may have passed. */
  | { at: number }
  /** The job's time has come, and the job has no outcome yet. */
  | 'render'
  | 'poll'
  /** Only an input that releases the job (`finished`, `hung_up`, `restarted`) or cuts it can end the job. */
  | 'manual'
  /** The job is final. */
  | 'ended';

export interface JobTransition<Of> {
  job: Of;
  end: JobOutcome | null;
  next: JobEndCondition;
}

/** Decides what an input changes in a job, without a clock or a database. A final job does not change. */
export function advanceJob<Of extends JobTransitionState>(
  job: Of,
  input: JobTransitionInput,
  progression: JobProgression,
  now: number,
): JobTransition<Of> {
  if (isFinal(job.status)) return { job, end: null, next: 'ended' };
  const changed = applyInput(job, input, now);
  if (input.kind === 'cut') return endJob(changed, { error: input.error }, now);
  const { outcome } = changed;
  if (outcome && mayEnd(changed, input) && hasReachedCompletionThreshold(changed, progression, now))
    return endJob(changed, outcome, now);
  return { job: changed, end: null, next: jobEndCondition(changed, progression, now) };
}

export function jobEndCondition(job: JobTransitionState, progression: JobProgression, now: number): JobEndCondition {
  const { at, polls } = completionThresholdOf(job, progression);
  if (at === Number.POSITIVE_INFINITY) return 'manual';
  if (at > now) return { at };
  if (polls > job.polls) return 'poll';
  return job.outcome ? { at } : 'render';
}

function applyInput<Of extends JobTransitionState>(job: Of, input: JobTransitionInput, now: number): Of {
  switch (input.kind) {
    case 'added':
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
      return { ...withRequestedOutcome(job, input.failure), released: true };
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
 * Whether the job may end with this input. A render or a restart ends only a released job, or one for which a call or a
 * flow run waits. Other jobs stay `processing` after their render, until another input, such as a poll, ends them.
 */
function mayEnd({ waiter, released }: JobTransitionState, { kind }: JobTransitionInput): boolean {
  return waiter !== null || released || (kind !== 'rendered' && kind !== 'restarted');
}

/**
 * Sets the outcome that a control operation asks for. A job that must succeed, but has failed or would fail, is
 * rendered again.
 */
function withRequestedOutcome<Of extends JobTransitionState>(job: Of, failure: string | undefined): Of {
  if (failure !== undefined) return { ...job, outcome: { error: requestedJobError(failure) } };
  const fails = job.failWith !== null || (job.outcome !== null && 'error' in job.outcome);
  return fails ? { ...job, failWith: null, outcome: null, status: 'queued', started: null } : job;
}

function withoutPace(faults: JobTransitionState['faults']): JobTransitionState['faults'] {
  if (!faults) return faults;
  const { pace: _pace, ...others } = faults;
  return others;
}

function endJob<Of extends JobTransitionState>(job: Of, outcome: JobOutcome, now: number): JobTransition<Of> {
  const status = 'error' in outcome ? 'failed' : 'succeeded';
  requireLegalJobStatusChange(job.status, status);
  const final = { ...job, status, outcome, started: job.started ?? now, completed: now };
  return { job: final, end: outcome, next: 'ended' };
}

/**
 * When a job with an outcome may become final: from this time (milliseconds of the emulator's clock), and after this
 * many polls. The time is infinite if only an input that releases or cuts the job makes it final.
 */
export interface CompletionThreshold {
  at: number;
  polls: number;
}

type Paced = Pick<OpenJob, 'waiter' | 'created' | 'readyAt' | 'released' | 'polls' | 'faults'>;

interface ModeRow {
  ready(job: Paced, value: number): CompletionThreshold;
  shown(job: Paced & { status: JobStatus }, value: number, now: number): JobStatus;
}

/**
 * For each mode, when a job may become final (`ready`) and which state is shown until then (`shown`). A requested delay
 * applies in every mode but `manual`. A call or a flow run that waits does not poll, so polls do not delay it.
 */
const PROGRESSIONS: Record<ProgressionMode, ModeRow> = {
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
};

/**
 * How many polls a job with this fault needs before it may become final, unless the input `overdue` ends the fault
 * earlier. With `late_end`, no number of polls is enough.
 */
const LATE_POLLS: { [Pace in JobPace]?: number } = { late: 4, late_end: Number.POSITIVE_INFINITY };

export function isDelayedByFault(job: Pick<Paced, 'faults' | 'released'>): boolean {
  return latePolls(job) > 0;
}

function latePolls({ faults, released }: Pick<Paced, 'faults' | 'released'>): number {
  return released || !faults?.pace ? 0 : (LATE_POLLS[faults.pace] ?? 0);
}

export function completionThresholdOf(job: Paced, { mode, value }: JobProgression): CompletionThreshold {
  if (job.released) return { at: 0, polls: 0 };
  const { at, polls } = PROGRESSIONS[mode].ready(job, value ?? 0);
  return { at, polls: Math.max(polls, latePolls(job)) };
}

export function hasReachedCompletionThreshold(job: Paced, progression: JobProgression, now: number): boolean {
  const { at, polls } = completionThresholdOf(job, progression);
  return at <= now && polls <= job.polls;
}

export function jobDueTime(job: Paced, progression: JobProgression): number {
  return Math.max(job.created, completionThresholdOf(job, progression).at);
}

const QUEUED_SHARE = 1 / 3;

export function visibleJobStatus(
  job: Paced & Pick<OpenJob, 'status'>,
  { mode, value }: JobProgression,
  now: number,
): JobStatus {
  if (isFinal(job.status) || job.released) return job.status;
  return PROGRESSIONS[mode].shown(job, value ?? 0, now);
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

export interface JobEndResult {
  result: JobResult;
  objectId: string | null;
}

export interface JobWork {
  /** The outcome if the file of the job exists already; undefined if the job needs a render. */
  outcomeOnDisk(tx: Transaction, job: NewJob): JobOutcome | undefined;
  /** Resolves once `store` has stored the outcome, even a failure. Rejects if the render was interrupted. */
  render(job: Job, signal: AbortSignal, store: (outcome: JobOutcome) => Promise<void>): Promise<void>;
  registerFile(tx: Transaction, job: Job, outcome: JobOutcome): void;
  refund(tx: Transaction, job: NewJob | Job, error: JobError): JobEndResult;
  handOver(tx: Transaction, job: NewJob | Job, file: StoredFile): JobEndResult;
  announce(tx: Transaction, final: Job, objectId: string | null): void;
}

/** The only writer of jobs: reads a job, makes the change that an input asks for, and writes it with its effects. */
export class JobStateMachine {
  readonly #work: JobWork;
  readonly #onCommit: (job: Job, next: JobEndCondition) => void;
  /** Jobs whose call returned `storage_full` and that are not refunded yet. They fail, whatever their outcome. */
  readonly #abandoned = new Set<string>();

  /** `onCommit` is called after the commit of each input, but not for a job that was final before. */
  constructor(work: JobWork, onCommit: (job: Job, next: JobEndCondition) => void) {
    this.#work = work;
    this.#onCommit = onCommit;
  }

  /** Writes a new job: queued, or final if a call waits for it, its file exists and its progression allows it. */
  add(tx: Transaction, job: NewJob): Job {
    const outcome = job.waiter === 'call' ? this.#work.outcomeOnDisk(tx, job) : undefined;
    const added = advanceJob(job, { kind: 'added', outcome }, readProgression(tx, job.accountId), tx.now);
    return this.#write(tx, added, insertJob);
  }

  apply(tx: Transaction, id: string, input: JobTransitionInput): Job {
    const job = findJob(tx, id);
    if (!job) throw new Error(`there is no job ${id}`);
    if (isFinal(job.status)) return job;
    const forced: JobTransitionInput = this.#abandoned.has(id) ? { kind: 'cut', error: STORAGE_FULL_ERROR } : input;
    const changed = advanceJob(job, forced, readProgression(tx, job.accountId), tx.now);
    return this.#write(tx, changed, changed.job === job ? () => job : updateJob);
  }

  abandon(jobId: string): void {
    this.#abandoned.add(jobId);
  }

  forget(): void {
    this.#abandoned.clear();
  }

  #write<Of extends NewJob | Job>(
    tx: Transaction,
    { job, end, next }: JobTransition<Of>,
    store: (tx: Transaction, job: Of) => Job,
  ): Job {
    const written = end ? this.#end(tx, job, end, store) : store(tx, job);
    tx.onCommit(() => {
      if (next === 'ended') this.#abandoned.delete(written.id);
      this.#onCommit(written, next);
    });
    return written;
  }

  /**
   * Ends a job. Writes its row after the result, which the row contains, and before the library entry and the event,
   * which refer to the row.
   */
  #end<Of extends NewJob | Job>(
    tx: Transaction,
    job: Of,
    end: JobOutcome,
    store: (tx: Transaction, job: Of) => Job,
  ): Job {
    const { result, objectId } =
      'error' in end ? this.#work.refund(tx, job, end.error) : this.#work.handOver(tx, job, end.file);
    const final = store(tx, { ...job, result });
    this.#work.announce(tx, final, objectId);
    return final;
  }
}
