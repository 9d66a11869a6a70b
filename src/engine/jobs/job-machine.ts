import type { Transaction } from '../../base/database/transaction.ts';
import { EmulatorError, quoted } from '../../base/errors.ts';
import { isFinal, type JobOutcome, type JobResult, NO_ROOM } from './job.ts';
import { type Input, step } from './job-step.ts';
import { findJob, insertJob, type Job, type NewJob, openJobs, updateJob } from './job-store.ts';
import { readProgression } from './progression-store.ts';

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
  /** Refunds the charge, or stores the object. Returns what the record of the job shows. */
  settle(tx: Transaction, job: NewJob | Job, outcome: JobOutcome): { result: JobResult; objectId: string | null };
  /** Adds the render to the library, and publishes the event. */
  announce(tx: Transaction, final: Job, objectId: string | null): void;
}

/** The only writer of jobs: reads a job, makes the step that an input asks for, and writes it with its effects. */
export class JobMachine {
  readonly #work: JobWork;
  readonly #listeners = new Set<(job: Job) => void>();
  /** Jobs whose call returned `storage_full` and that are not refunded yet. They fail, whatever their outcome. */
  readonly #abandoned = new Set<string>();

  constructor(work: JobWork) {
    this.#work = work;
  }

  /** `listener` is called after the commit of a job that has become final. */
  observe(listener: (job: Job) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Queued, or final if a call waits for it, its file exists and its progression allows it. */
  order(tx: Transaction, job: NewJob): Job {
    const outcome = job.waiter === 'call' ? this.#work.outcomeOnDisk(tx, job) : undefined;
    return this.#step(tx, job, { kind: 'ordered', outcome }, insertJob);
  }

  /** Throws for an unknown job. Returns a final job as it is. */
  apply(tx: Transaction, id: string, input: Input): Job {
    const job = findJob(tx, id);
    if (!job) throw new Error(`there is no job ${id}`);
    if (!this.#abandoned.has(id)) return this.#step(tx, job, input, updateJob);
    return this.#step(tx, job, { kind: 'cut', error: NO_ROOM }, updateJob);
  }

  /** Throws `not_found`, and `conflict` for a final job. */
  finish(tx: Transaction, id: string, failure: string | undefined): Job {
    requireUnfinished(findJob(tx, id), id);
    return this.apply(tx, id, { kind: 'finished', failure });
  }

  /** After a stop or a crash. */
  restart(tx: Transaction): void {
    for (const { id } of openJobs(tx)) this.apply(tx, id, { kind: 'restarted' });
  }

  abandon(jobId: string): void {
    this.#abandoned.add(jobId);
  }

  forget(): void {
    this.#abandoned.clear();
  }

  #step<Of extends NewJob | Job>(
    tx: Transaction,
    job: Of,
    input: Input,
    write: (tx: Transaction, job: Of) => Job,
  ): Job {
    const next = step(job, input, readProgression(tx, job.accountId), tx.now);
    if (next.effects.length === 0) return next.job === job && 'position' in job ? job : write(tx, next.job);
    return this.#end(tx, next.job, write);
  }

  #end<Of extends NewJob | Job>(tx: Transaction, job: Of, write: (tx: Transaction, job: Of) => Job): Job {
    if (!job.outcome) throw new Error(`the job ${job.id} ends without an outcome`);
    const { result, objectId } = this.#work.settle(tx, job, job.outcome);
    const final = write(tx, { ...job, result });
    this.#work.announce(tx, final, objectId);
    tx.onCommit(() => {
      this.#abandoned.delete(final.id);
      for (const listener of this.#listeners) listener(final);
    });
    return final;
  }
}

function requireUnfinished(job: Job | undefined, id: string): void {
  if (!job) throw new EmulatorError('not_found', `There is no job ${quoted(id)}. GET /_emulator/jobs lists them.`);
  if (!isFinal(job.status)) return;
  throw new EmulatorError(
    'conflict',
    `The job ${id} has ${job.status} already, and a final job does not change. To decide the end of a job, set {"mode": "manual"} with PUT /_emulator/progression before the order.`,
  );
}
