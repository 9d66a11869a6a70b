import type { Clock } from '../clock/clock.ts';
import type { Database } from '../database/database.ts';
import type { Piece, Task } from '../queue/task.ts';
import { WorkQueue } from '../queue/work-queue.ts';
import type { Job } from './job.ts';
import { findJob, moveJob, nextQueued, ownersOfQueued } from './job-store.ts';

export interface RunnerParts {
  database: Database;
  clock: Clock;
  /** How many jobs are worked on at once. */
  limit: number;
  /** Does the work of a job and keeps its outcome; a rejection means that it was cut off. */
  work(job: Job, signal: AbortSignal): Promise<void>;
  /** Is told of a job that could not be taken up, as on a full disk; it is tried again. */
  onRefused(jobId: string, failure: unknown): void;
}

/** Works queued jobs off; those for which a call waits go before the others. What a stop cuts off the next start takes up. */
export class JobRunner {
  readonly #parts: RunnerParts;
  readonly #queue: WorkQueue<Piece>;

  constructor(parts: RunnerParts) {
    const { database, clock, limit } = parts;
    this.#parts = parts;
    this.#queue = new WorkQueue({
      clock,
      limits: { all: limit },
      lines: 2,
      owners: () => ownersOfQueued(database),
      next: (owner, except, line) => nextQueued(database, owner, { except, isAwaited: line === 0 }),
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

  /** Takes a job up while its order is still being committed; to be called in the turn in which it is written. */
  takeUp({ id, accountId }: Pick<Job, 'id' | 'accountId'>): void {
    this.#queue.take({ id, owner: accountId });
  }

  /** Resolves when no job is being worked on, or about to be. */
  settled(): Promise<void> {
    return this.#queue.settled();
  }

  /**
   * Resolves once the work on a job is over, or put off until the next start; undefined when nobody works on it, nor
   * will. To be called in the turn in which the job was read.
   */
  left({ id, status }: Pick<Job, 'id' | 'status'>, signal?: AbortSignal): Promise<void> | undefined {
    const waits = status === 'queued' && this.#queue.isOpen;
    return waits || this.#queue.isUnderWay(id) ? this.#queue.ended(id, signal) : undefined;
  }

  /** Cuts off what runs, and resolves when nothing does. */
  async close(): Promise<void> {
    const closed = this.#queue.close();
    this.#queue.cut(new Error('the emulator is stopping'));
    await closed;
  }

  /** The work begins while the move to `processing` is being committed. */
  async #run({ item, signal }: Task<Piece>): Promise<void> {
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
