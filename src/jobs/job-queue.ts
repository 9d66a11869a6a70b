import type { Clock } from '../clock/clock.ts';
import type { Database } from '../database/database.ts';
import { type QueueItem, type Task, WorkQueue } from '../queue/work-queue.ts';
import type { Job } from './job.ts';
import { findJob, moveJob, nextQueued, ownersOfQueued } from './job-store.ts';

export interface JobQueueParts {
  database: Database;
  clock: Clock;
  /** How many jobs are worked on at once. */
  limit: number;
  /** Does the work of a job and stores its outcome; a rejection means that the work was cut off. */
  work(job: Job, signal: AbortSignal): Promise<void>;
  /** Called when the start of a job could not be stored, as on a full disk; it is tried again. */
  onRefused(jobId: string, failure: unknown): void;
}

/** Processes queued jobs; those that a call waits for come first. The next start resumes what a stop cut off. */
export class JobQueue {
  readonly #parts: JobQueueParts;
  readonly #queue: WorkQueue<QueueItem>;

  constructor(parts: JobQueueParts) {
    const { database, clock, limit } = parts;
    this.#parts = parts;
    this.#queue = new WorkQueue({
      clock,
      limits: { all: limit },
      priorities: 2,
      owners: () => ownersOfQueued(database),
      next: (owner, except, priority) => nextQueued(database, owner, { except, isAwaited: priority === 0 }),
      work: (task) => this.#run(task),
    });
  }

  open(): void {
    this.#queue.open();
  }

  /** An account may have a queued job. */
  wake(accountId: string): void {
    this.#queue.wake(accountId);
  }

  /** Starts a job while its order is still being committed; call it in the tick in which the job is written. */
  start({ id, accountId }: Pick<Job, 'id' | 'accountId'>): void {
    this.#queue.start({ id, owner: accountId });
  }

  /** Resolves when no job is being worked on, or about to be. */
  settled(): Promise<void> {
    return this.#queue.settled();
  }

  /**
   * Resolves once the work on a job is over, or put off until the next start; undefined when no work on it is under way
   * or will be. Call it in the tick in which the job was read.
   */
  left({ id, status }: Pick<Job, 'id' | 'status'>, signal?: AbortSignal): Promise<void> | undefined {
    const waits = status === 'queued' && this.#queue.isOpen;
    return waits || this.#queue.isUnderWay(id) ? this.#queue.ended(id, signal) : undefined;
  }

  /** Cuts off what runs, and resolves when nothing runs any more. */
  async close(): Promise<void> {
    const closed = this.#queue.close();
    this.#queue.cut(new Error('the emulator is stopping'));
    await closed;
  }

  /** The work starts while the move to `processing` is being committed. */
  async #run({ item, signal }: Task<QueueItem>): Promise<void> {
    const { database, work, onRefused } = this.#parts;
    const taken: { job?: Job } = {};
    const cut = new AbortController();
    const moved = database.transact((tx) => {
      const job = findJob(tx, item.id);
      if (job?.status !== 'queued') return;
      moveJob(tx, job, 'processing');
      taken.job = job;
    });
    const kept = moved.catch((reason: unknown) => cut.abort(reason));
    await Promise.allSettled([kept, taken.job && work(taken.job, AbortSignal.any([signal, cut.signal]))]);
    await moved.catch((error: unknown) => {
      onRefused(item.id, error);
      throw error;
    });
  }
}
