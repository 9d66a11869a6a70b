import type { Transaction } from '../../base/database/transaction.ts';
import { EmulatorError, quoted } from '../../base/errors.ts';
import { askedError, INTERRUPTED, isFinal, type JobError, type JobOutcome, NO_ROOM } from './job.ts';
import {
  clearFailure,
  countPoll,
  findJob,
  insertJob,
  type Job,
  type NewJob,
  openJobs,
  releaseJob,
  requeueJob,
  startJob,
  writeOutcome,
} from './job-store.ts';
import { isReady, readProgression } from './progression-store.ts';

/** `write` stores the file, if there is one. */
export interface WorkDone {
  outcome: JobOutcome;
  write(tx: Transaction): void;
}

export interface JobWork {
  /** Undefined unless the file exists already and the job needs no work. */
  outcomeOnDisk(tx: Transaction, job: NewJob): JobOutcome | undefined;
  /** Resolves once `store` has stored the outcome, even of a failure. Rejects if the work was interrupted. */
  run(job: Job, signal: AbortSignal, store: (done: WorkDone) => Promise<void>): Promise<void>;
  /** Writes the refund or the library entry, the final job, and the event. A new job was not written before. */
  end(tx: Transaction, job: NewJob | Job, outcome: JobOutcome): Job;
}

export interface TransitionParts {
  work: JobWork;
}

/**
 * Every transition of a job, in the transaction of the caller: `order` (queued), `start` (processing), `storeOutcome`,
 * `settle` and `fail` (final). A stored outcome takes effect when the progression of the account allows it.
 */
export class JobTransitions {
  readonly #parts: TransitionParts;
  readonly #listeners = new Set<(job: Job) => void>();
  /** Jobs whose call returned `storage_full` and that are not refunded yet. They fail, whatever their outcome. */
  readonly #abandoned = new Set<string>();

  constructor(parts: TransitionParts) {
    this.#parts = parts;
  }

  observe(listener: (job: Job) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Queued, or final if a call waits for it, its file exists and its progression allows it. */
  order(tx: Transaction, job: NewJob): Job {
    const outcome = job.waiter === 'call' && this.#parts.work.outcomeOnDisk(tx, job);
    if (!outcome) return insertJob(tx, job);
    const isNow = isReady(job, readProgression(tx, job.accountId), tx.now);
    if (!isNow) return insertJob(tx, { ...job, outcome });
    return this.#end(tx, job, outcome);
  }

  start(tx: Transaction, jobId: string): Job | undefined {
    const job = findJob(tx, jobId);
    if (job?.status !== 'queued') return undefined;
    startJob(tx, job);
    return job;
  }

  /** Also settles a job that a call or a run waits for, if its progression allows it. */
  storeOutcome(tx: Transaction, { id, failWith, waiter }: Job, { outcome, write }: WorkDone): void {
    write(tx);
    const job = findJob(tx, id);
    // The job was made to succeed in the meantime, so it is rendered.
    const isQueuedAgain = failWith !== null && job?.failWith === null;
    if (!isQueuedAgain) writeOutcome(tx, id, outcome);
    if (waiter !== null) this.settle(tx, id);
  }

  /** Returns the job, which is final only if it has an outcome and its progression allows it. */
  settle(tx: Transaction, jobId: string): Job {
    const job = findJob(tx, jobId);
    if (!job) throw new Error(`no job ${jobId} to settle`);
    if (isFinal(job.status)) return job;
    if (this.#abandoned.has(jobId)) return this.fail(tx, job, NO_ROOM);
    if (!job.outcome) return job;
    if (!isReady(job, readProgression(tx, job.accountId), tx.now)) return job;
    return this.#end(tx, job, job.outcome);
  }

  fail(tx: Transaction, job: Job, error: JobError): Job {
    return this.#end(tx, job, { error });
  }

  poll(tx: Transaction, jobId: string): Job {
    countPoll(tx, jobId);
    return this.settle(tx, jobId);
  }

  /** From now on the job is final once it has an outcome. */
  release(tx: Transaction, jobId: string): Job {
    releaseJob(tx, jobId);
    return this.settle(tx, jobId);
  }

  /** `failure` is an error code; without it, the job succeeds. Throws `not_found`, and `conflict` for a final job. */
  finish(tx: Transaction, jobId: string, failure: string | undefined): Job {
    const job = findUnfinished(tx, jobId);
    if (failure !== undefined) writeOutcome(tx, jobId, { error: askedError(failure) });
    else if (willFail(job)) clearFailure(tx, job);
    return this.release(tx, jobId);
  }

  /** Fails the job unless it has an outcome, because no call waits for it any more. */
  giveUp(tx: Transaction, jobId: string, error: JobError): Job {
    if (!findJob(tx, jobId)?.outcome) writeOutcome(tx, jobId, { error });
    return this.settle(tx, jobId);
  }

  abandon(jobId: string): void {
    this.#abandoned.add(jobId);
  }

  forget(): void {
    this.#abandoned.clear();
  }

  /**
   * After a stop or a crash. A job whose call can no longer return fails and is refunded. Other jobs without an outcome are
   * queued again.
   */
  recover(tx: Transaction): void {
    for (const job of openJobs(tx)) {
      if (job.waiter === 'call') {
        writeOutcome(tx, job.id, { error: INTERRUPTED });
        releaseJob(tx, job.id);
      } else if (!job.outcome && job.status === 'processing') requeueJob(tx, job);
    }
  }

  #end(tx: Transaction, job: NewJob | Job, outcome: JobOutcome): Job {
    const final = this.#parts.work.end(tx, job, outcome);
    tx.onCommit(() => {
      this.#abandoned.delete(final.id);
      for (const listener of this.#listeners) listener(final);
    });
    return final;
  }
}

function willFail({ failWith, outcome }: Job): boolean {
  return failWith !== null || (outcome !== null && 'error' in outcome);
}

function findUnfinished(tx: Transaction, id: string): Job {
  const job = findJob(tx, id);
  if (!job) {
    throw new EmulatorError('not_found', `There is no job ${quoted(id)}. GET /_emulator/jobs lists them.`);
  }
  if (!isFinal(job.status)) return job;
  throw new EmulatorError(
    'conflict',
    `The job ${id} has ${job.status} already, and a final job does not change. To decide the end of a job, set {"mode": "manual"} with PUT /_emulator/progression before the order.`,
  );
}
