import { EventEmitter, once } from 'node:events';
import type { Database } from '../../base/database/database.ts';
import type { Transaction } from '../../base/database/transaction.ts';
import { isStorageFull, overtaken } from '../../base/errors.ts';
import type { CrashHook, JobFaults } from '../faults/applied-fault.ts';
import { isFinal, type Job, type JobError, type NewJob, NO_ROOM, type Outcome } from './job.ts';
import { completeJob, countPoll, findJob, insertJob, keepOutcome } from './job-store.ts';
import { isReady, readProgression } from './progression-store.ts';

/** A job that becomes final. `write` inserts or updates it: it may be final before it was ever written. */
export interface Ending<Open extends NewJob> {
  job: Open;
  /** The faults of the deliveries of its event; those of the job unless given. */
  faults?: JobFaults | null;
  outcome: Outcome;
  /** Returns the job with its position. */
  write(final: Open): Job;
}

export interface SettlementParts {
  database: Database;
  /** Ends the process once a job with that fault is settled; undefined where no supervisor would start it again. */
  crashHook: CrashHook | undefined;
  /** Writes all that the end of a job means: refund or library entry, status, and event. */
  end<Open extends NewJob>(tx: Transaction, ending: Ending<Open>): Job;
}

/**
 * Makes jobs final. The outcome of the work is stored first and takes effect when the progression of the account allows
 * it: at once, after some seconds, at the nth poll, or by hand. The scheduler, polls and the processor try to settle;
 * calls that wait for the end of a job wait here.
 */
export class Settlement {
  readonly crashHook: CrashHook | undefined;
  readonly #parts: SettlementParts;
  readonly #final = new EventEmitter().setMaxListeners(0);
  readonly #listeners = new Set<(job: Job) => void>();
  /** Jobs whose call was answered with `storage_full` and which are not refunded yet: they fail, whatever their outcome. */
  readonly #abandoned = new Set<string>();

  constructor(parts: SettlementParts) {
    this.crashHook = parts.crashHook;
    this.#parts = parts;
  }

  /** Counts a poll, and settles the job if it is ready. Returns the job as the poll answers it. */
  async read(job: Job): Promise<Job> {
    if (isFinal(job.status)) return job;
    return this.#parts.database.transactWithReserve((tx) => {
      countPoll(tx, job.id);
      return this.settleWithin(tx, job.id);
    });
  }

  /** Makes a job final if it has an outcome and its progression allows it; returns the job as it is then. */
  settle(jobId: string): Promise<Job> {
    return this.#parts.database.transactWithReserve((tx) => this.settleWithin(tx, jobId));
  }

  /** As `settle`, in the transaction of the caller. */
  settleWithin(tx: Transaction, jobId: string): Job {
    const job = findJob(tx, jobId);
    if (!job) throw new Error(`no job ${jobId} to settle`);
    if (isFinal(job.status)) return job;
    if (this.#abandoned.has(jobId)) return this.#fail(tx, job, NO_ROOM);
    if (!job.outcome) return job;
    if (!isReady(job, readProgression(tx, job.accountId), tx.now)) return job;
    const final = this.#complete(tx, job, job.outcome);
    const { crashHook } = this;
    if (crashHook && job.faults?.crash === 'after_settle') tx.onCommit(crashHook);
    return final;
  }

  /** Writes a new job; if its outcome is known and its progression allows it, the job is final at once. */
  record(tx: Transaction, job: NewJob): Job {
    const { outcome } = job;
    if (!outcome || !isReady(job, readProgression(tx, job.accountId), tx.now)) {
      return insertJob(tx, job);
    }
    return this.#end(tx, { job, outcome, write: (final) => insertJob(tx, final) });
  }

  /** Fails and refunds a job in whatever state its work is. A final job stays as it is. */
  cutShort(tx: Transaction, jobId: string, error: JobError): void {
    const job = findJob(tx, jobId);
    if (job && !isFinal(job.status)) this.#fail(tx, job, error);
  }

  /** Where a full disk refused the end of a job, rejects the call that waits for it. Runs and pollers wait until there is room. */
  refuse(jobId: string, failure: unknown): void {
    if (!isStorageFull(failure)) return;
    const job = findJob(this.#parts.database, jobId);
    if (job?.awaited && !job.ofRun) this.#final.emit(jobId, failure);
  }

  /** The call of the job was answered with `storage_full`: the next settlement fails and refunds it. */
  abandon(jobId: string): void {
    this.#abandoned.add(jobId);
  }

  /** Resolves when the job is final. Rejects with the reason of `signal` when that aborts first, and when the end is refused. */
  async whenFinal(jobId: string, signal: AbortSignal): Promise<Job> {
    const job = findJob(this.#parts.database, jobId);
    if (job && isFinal(job.status)) return job;
    try {
      const [end] = (await once(this.#final, jobId, { signal })) as [Job | Error];
      if (end instanceof Error) throw end;
      return end;
    } catch (error) {
      throw signal.aborted ? signal.reason : error;
    }
  }

  /** Whether a caller waits for the end of this job. */
  isAwaited(jobId: string): boolean {
    return this.#final.listenerCount(jobId) > 0;
  }

  /** Calls `listener` after the commit of each job's end; the returned function removes it. */
  observe(listener: (job: Job) => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  /** A reset or a stop: rejects all waits. */
  rest(): void {
    // `once` rejects with what is emitted as an error.
    if (this.#final.listenerCount('error') > 0) this.#final.emit('error', overtaken());
    this.#final.removeAllListeners();
    this.#abandoned.clear();
  }

  #fail(tx: Transaction, job: Job, error: JobError): Job {
    keepOutcome(tx, job.id, { error });
    return this.#complete(tx, job, { error });
  }

  #complete(tx: Transaction, job: Job, outcome: Outcome): Job {
    return this.#end(tx, { job, outcome, write: (final) => completeJob(tx, final) });
  }

  #end<Open extends NewJob>(tx: Transaction, ending: Ending<Open>): Job {
    const final = this.#parts.end(tx, ending);
    tx.onCommit(() => this.#publish(final));
    return final;
  }

  #publish(job: Job): void {
    this.#abandoned.delete(job.id);
    for (const listener of this.#listeners) listener(job);
    this.#final.emit(job.id, job);
  }
}
