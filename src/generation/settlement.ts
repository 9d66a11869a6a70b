import { EventEmitter, once } from 'node:events';
import type { Clock } from '../clock/clock.ts';
import type { Database } from '../database/database.ts';
import type { Transaction } from '../database/transaction.ts';
import { isStorageFull, overtaken } from '../errors.ts';
import type { CrashHook } from '../faults/applied-fault.ts';
import { isFinal, type Job, type JobError, type NewJob, type Outcome } from '../jobs/job.ts';
import { completeJob, countPoll, findJob, insertJob, keepOutcome } from '../jobs/job-store.ts';
import { isReady } from '../jobs/progression.ts';
import { readProgression } from '../jobs/progression-store.ts';
import { type Ending, makeFinal } from './final-job.ts';
import { NO_ROOM } from './job-errors.ts';
import { afterMemberJob, type MemberJobParts } from './member-job.ts';

export interface SettlementParts extends MemberJobParts {
  database: Database;
  clock: Clock;
  /** Ends the process once a job that is marked so is settled; undefined where none would start it again. */
  crashHook: CrashHook | undefined;
}

/**
 * The last part of the road: what a render came to becomes true, once the job's progression lets it.
 * When that is looked at is the agenda's business; whoever waits for a job's end waits here.
 */
export class Settlement {
  /** Ends the process at a job's crash point; undefined where none would start it again. */
  readonly crashHook: CrashHook | undefined;
  readonly #parts: SettlementParts;
  readonly #final = new EventEmitter().setMaxListeners(0);
  readonly #listeners = new Set<(job: Job) => void>();
  /** Jobs whose call was answered with `storage_full`, and which are not refunded yet: whatever they come to, they fail. */
  readonly #forsaken = new Set<string>();

  constructor(parts: SettlementParts) {
    this.crashHook = parts.crashHook;
    this.#parts = parts;
  }

  /** What a poll sees: counts it, and settles the job when it is ready. */
  async read(job: Job): Promise<Job> {
    if (isFinal(job.status)) return job;
    return this.#parts.database.insist((tx) => {
      countPoll(tx, job.id);
      return this.settleWithin(tx, job.id);
    });
  }

  /** Makes a job final if its outcome is there and its time has come; answers it as it is then. */
  settle(jobId: string): Promise<Job> {
    return this.#parts.database.insist((tx) => this.settleWithin(tx, jobId));
  }

  /** The same in a transaction of the caller's. */
  settleWithin(tx: Transaction, jobId: string): Job {
    const job = findJob(tx, jobId);
    if (!job) throw new Error(`no job ${jobId} to settle`);
    if (isFinal(job.status)) return job;
    if (this.#forsaken.has(jobId)) return this.#fail(tx, job, NO_ROOM);
    if (!job.outcome) return job;
    if (!isReady(job, readProgression(tx, job.accountId), tx.now)) return job;
    const final = this.#complete(tx, job, job.outcome);
    const { crashHook } = this;
    if (crashHook && job.faults?.crash === 'after_settle') tx.onCommit(crashHook);
    return final;
  }

  /** Writes a job that is ordered; one whose outcome is known is final at once, if nothing holds it back. */
  record(tx: Transaction, job: NewJob): Job {
    const { outcome } = job;
    if (!outcome || !isReady(job, readProgression(tx, job.accountId), tx.now)) {
      return insertJob(tx, job);
    }
    return this.#end(tx, { job, outcome, write: (final) => insertJob(tx, final) });
  }

  /** Ends a job whatever its work is at: it fails with `error` and is refunded. One that is final stays as it is. */
  cutShort(tx: Transaction, jobId: string, error: JobError): void {
    const job = findJob(tx, jobId);
    if (job && !isFinal(job.status)) this.#fail(tx, job, error);
  }

  /** Where it was a full disk that did not take the end of a job, the call that waits for it is told. Others wait for room. */
  refuse(jobId: string, failure: unknown): void {
    if (!isStorageFull(failure)) return;
    const job = findJob(this.#parts.database, jobId);
    if (job?.awaited && !job.ofRun) this.#final.emit(jobId, failure);
  }

  /** Its call was answered with `storage_full`: whoever settles it next has it fail and refunds it. */
  forsake(jobId: string): void {
    this.#forsaken.add(jobId);
  }

  /** Resolves when the job is final; rejects with the signal's reason when that ends first, and when it is refused. */
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

  /** Whether somebody acts on the end of this job. */
  isAwaited(jobId: string): boolean {
    return this.#final.listenerCount(jobId) > 0;
  }

  /** Calls `listener` after the commit of each job's end; the answer ends it. */
  observe(listener: (job: Job) => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  /** A reset or a stop: whoever still waits is told. */
  rest(): void {
    // `once` rejects with what is emitted as an error.
    if (this.#final.listenerCount('error') > 0) this.#final.emit('error', overtaken());
    this.#final.removeAllListeners();
    this.#forsaken.clear();
  }

  #fail(tx: Transaction, job: Job, error: JobError): Job {
    keepOutcome(tx, job.id, { error });
    return this.#complete(tx, job, { error });
  }

  #complete(tx: Transaction, job: Job, outcome: Outcome): Job {
    return this.#end(tx, { job, outcome, write: (final) => completeJob(tx, final) });
  }

  #end<Open extends NewJob>(tx: Transaction, ending: Ending<Open>): Job {
    const final = makeFinal(this.#parts, tx, afterMemberJob(this.#parts, tx, ending));
    tx.onCommit(() => this.#tell(final));
    return final;
  }

  #tell(job: Job): void {
    this.#forsaken.delete(job.id);
    for (const listener of this.#listeners) listener(job);
    this.#final.emit(job.id, job);
  }
}
