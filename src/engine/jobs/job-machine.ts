import type { Transaction } from '../../base/database/transaction.ts';
import { isFinal, type JobOutcome, type JobResult, STORAGE_FULL_ERROR } from './job.ts';
import { advanceJob, type JobInput, type JobStep, type NextChange } from './job-step.ts';
import { findJob, insertJob, type Job, type NewJob, updateJob } from './job-store.ts';
import { readProgression } from './progression-store.ts';

/** What the end of a job writes into other tables. */
export interface JobEndEffects {
  /** Undefined unless the file exists already and the job needs no work. */
  outcomeOnDisk(tx: Transaction, job: NewJob): JobOutcome | undefined;
  /** Refunds the charge, or stores the object. Returns what the record of the job shows. */
  settle(tx: Transaction, job: NewJob | Job, outcome: JobOutcome): { result: JobResult; objectId: string | null };
  /** Adds the render to the library, and publishes the event. */
  announce(tx: Transaction, final: Job, objectId: string | null): void;
}

/** The only writer of jobs: reads a job, makes the step that an input asks for, and writes it with its effects. */
export class JobMachine {
  readonly #ends: JobEndEffects;
  readonly #onCommit: (job: Job, next: NextChange) => void;
  /** Jobs whose call returned `storage_full` and that are not refunded yet. They fail, whatever their outcome. */
  readonly #abandoned = new Set<string>();

  /** `onCommit` is called after the commit of each step, but not for a job that was final before. */
  constructor(ends: JobEndEffects, onCommit: (job: Job, next: NextChange) => void) {
    this.#ends = ends;
    this.#onCommit = onCommit;
  }

  /** Queued, or final if a call waits for it, its file exists and its progression allows it. */
  order(tx: Transaction, job: NewJob): Job {
    const outcome = job.waiter === 'call' ? this.#ends.outcomeOnDisk(tx, job) : undefined;
    const ordered = advanceJob(job, { kind: 'ordered', outcome }, readProgression(tx, job.accountId), tx.now);
    return this.#keep(tx, ordered, insertJob);
  }

  /** Throws for an unknown job. Returns a final job as it is. */
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

  /** In the transaction: the job and its effects. After its commit: what comes next. */
  #keep<Of extends NewJob | Job>(
    tx: Transaction,
    { job, effects, next }: JobStep<Of>,
    write: (tx: Transaction, job: Of) => Job,
  ): Job {
    const kept = effects.length === 0 ? write(tx, job) : this.#end(tx, job, write);
    tx.onCommit(() => {
      if (next === 'never') this.#abandoned.delete(kept.id);
      this.#onCommit(kept, next);
    });
    return kept;
  }

  #end<Of extends NewJob | Job>(tx: Transaction, job: Of, write: (tx: Transaction, job: Of) => Job): Job {
    if (!job.outcome) throw new Error(`the job ${job.id} ends without an outcome`);
    const { result, objectId } = this.#ends.settle(tx, job, job.outcome);
    const final = write(tx, { ...job, result });
    this.#ends.announce(tx, final, objectId);
    return final;
  }
}
