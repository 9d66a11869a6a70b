import { EventEmitter, once } from 'node:events';
import type { Database } from '../database/database.ts';
import type { Job } from './job.ts';
import { findJob, moveJob, nextQueued } from './job-store.ts';

export interface RunnerParts {
  database: Database;
  /** How many jobs are worked on at once. */
  limit: number;
  /** Does the work of a job and keeps its outcome; a rejection means that it was cut off. */
  work(job: Job, signal: AbortSignal): Promise<void>;
}

/** Works the persisted queue off, oldest first, a few at a time. What a stop cuts off is queued again at the next start. */
export class JobRunner {
  readonly #parts: RunnerParts;
  readonly #running = new Map<string, Promise<void>>();
  readonly #left = new EventEmitter().setMaxListeners(0);
  #stopping = new AbortController();
  #filling = false;

  constructor(parts: RunnerParts) {
    this.#parts = parts;
  }

  /** Looks for queued jobs; cheap when there are none. */
  wake(): void {
    if (this.#filling || this.#stopping.signal.aborted) return;
    this.#filling = true;
    setImmediate(() => {
      this.#filling = false;
      this.#fill();
    });
  }

  /** Whether a job is being worked on or about to be taken up. */
  get busy(): boolean {
    return this.#running.size > 0 || this.#filling;
  }

  /** Resolves when none of the jobs taken up so far is being worked on, and the queue has been looked at again. */
  async settled(): Promise<void> {
    do {
      await Promise.all(this.#running.values());
      await new Promise((resolve) => setImmediate(resolve));
    } while (this.busy);
  }

  /**
   * Resolves once the work on a job is over, or put off until the next start; undefined when nobody works on it, nor
   * will. To be called in the turn in which the job was read.
   */
  left(
    { id, status }: Pick<Job, 'id' | 'status'>,
    signal?: AbortSignal,
  ): Promise<void> | undefined {
    const waits = status === 'queued' && !this.#stopping.signal.aborted;
    if (!waits && !this.#running.has(id)) return undefined;
    return once(this.#left, id, { signal }).then(() => undefined);
  }

  /** Cuts off what runs, and resolves when nothing does. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error('the emulator is stopping'));
    await this.settled();
    for (const id of this.#left.eventNames()) this.#left.emit(id);
  }

  /** After a stop: ready to work again. */
  restart(): void {
    this.#stopping = new AbortController();
    this.wake();
  }

  #fill(): void {
    const { database, limit } = this.#parts;
    while (this.#running.size < limit && !this.#stopping.signal.aborted) {
      const job = nextQueued(database, [...this.#running.keys()]);
      if (!job) return;
      this.#running.set(job.id, this.#run(job.id));
    }
  }

  async #run(id: string): Promise<void> {
    const { database, work } = this.#parts;
    try {
      const job = await database.transact((tx) => {
        const found = findJob(tx, id);
        if (found?.status !== 'queued') return undefined;
        moveJob(tx, found, 'processing');
        return found;
      });
      if (job) await work(job, this.#stopping.signal);
    } catch {
      // Cut off, or the disk is full: the job is still `processing`, and the next start takes it up again.
    } finally {
      this.#running.delete(id);
      this.#left.emit(id);
      this.wake();
    }
  }
}
