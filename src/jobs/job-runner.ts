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

/**
 * Works the persisted queue off, a few at a time: accounts take turns, and of each the oldest is first. What a stop cuts
 * off is queued again at the next start.
 */
export class JobRunner {
  readonly #parts: RunnerParts;
  readonly #running = new Map<string, Promise<void>>();
  /** Whose the jobs are that are worked on. */
  readonly #owners = new Map<string, string>();
  /** The account that had the last turn. */
  #last = '';
  readonly #left = new EventEmitter().setMaxListeners(0);
  /** By these the work under way is cut off. */
  readonly #cuts = new Set<AbortController>();
  #isStopping = false;
  #filling = false;

  constructor(parts: RunnerParts) {
    this.#parts = parts;
  }

  /** Looks for queued jobs; cheap when there are none. */
  wake(): void {
    if (this.#filling || this.#isStopping) return;
    this.#filling = true;
    setImmediate(() => {
      this.#filling = false;
      this.#fill();
    });
  }

  /**
   * Takes a job up, where there is room, while its order is still being committed; to be called in the turn in which it
   * is written. What is not committed in the end is cut off. For an account of which none is worked on there is room
   * where others have taken all of it.
   */
  takeUp(job: Pick<Job, 'id' | 'accountId'>): void {
    const isNew = !new Set(this.#owners.values()).has(job.accountId);
    if (this.#hasRoom(isNew ? 2 : 1)) this.#begin(job);
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
  left({ id, status }: Pick<Job, 'id' | 'status'>, signal?: AbortSignal): Promise<void> | undefined {
    const waits = status === 'queued' && !this.#isStopping;
    if (!waits && !this.#running.has(id)) return undefined;
    return once(this.#left, id, { signal }).then(() => undefined);
  }

  /** Cuts off what runs, and resolves when nothing does. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    for (const cut of this.#cuts) cut.abort(new Error('the emulator is stopping'));
    await this.settled();
    for (const id of this.#left.eventNames()) this.#left.emit(id);
  }

  /** After a stop: ready to work again. */
  restart(): void {
    this.#isStopping = false;
    this.wake();
  }

  #fill(): void {
    while (this.#hasRoom()) {
      const job = nextQueued(this.#parts.database, { except: [...this.#running.keys()], after: this.#last });
      if (!job) return;
      this.#last = job.accountId;
      this.#begin(job);
    }
  }

  #hasRoom(times = 1): boolean {
    return this.#running.size < times * this.#parts.limit && !this.#isStopping;
  }

  #begin({ id, accountId }: Pick<Job, 'id' | 'accountId'>): void {
    this.#owners.set(id, accountId);
    this.#running.set(id, this.#run(id));
  }

  /** The work begins while the move to `processing` is being committed. What is cut off the next start takes up again. */
  async #run(id: string): Promise<void> {
    const { database, work } = this.#parts;
    const taken: { job?: Job } = {};
    const cut = new AbortController();
    this.#cuts.add(cut);
    const moved = database.transact((tx) => {
      const job = findJob(tx, id);
      if (job?.status !== 'queued') return;
      moveJob(tx, job, 'processing');
      taken.job = job;
    });
    const kept = moved.catch((reason: unknown) => cut.abort(reason));
    await Promise.allSettled([kept, taken.job && work(taken.job, cut.signal)]);
    this.#cuts.delete(cut);
    this.#running.delete(id);
    this.#owners.delete(id);
    this.#left.emit(id);
    this.wake();
  }
}
