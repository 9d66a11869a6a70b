import { EventEmitter, once } from 'node:events';
import { type Cancel, type Clock, waitRealTime } from '../../base/clock/clock.ts';
import type { DueCallback } from '../../base/clock/due-queue.ts';
import type { Database } from '../../base/database/database.ts';
import type { Transaction } from '../../base/database/transaction.ts';
import { isStorageFullError, stateReplacedError } from '../../base/errors.ts';
import { type QueueItem, type QueueTask, RETRY_AFTER_MS, WorkQueue } from '../work-queue.ts';
import {
  isDelayedByFault,
  type JobEndCondition,
  JobStateMachine,
  type JobTransitionInput,
  type JobWork,
} from './job-state-machine.ts';
import {
  accountIdsWithQueuedJobs,
  findJob,
  findNextRenderQueueItem,
  isFinal,
  type Job,
  type JobOutcome,
  type OpenJob,
} from './job-store.ts';

export interface JobRunnerParts {
  work: JobWork;
  database: Database;
  clock: Clock;
  limits: {
    /** Milliseconds of real time until a rendered job that nobody reads becomes final. */
    settleAfterMs: number;
    atOnce: number;
  };
}

/** Milliseconds of real time from the render of a job under the fault `late` until it ends without its fourth poll. */
const LATE_MS = 3000;
/**
 * Milliseconds of real time from the render or the last poll of a job under the fault `late_end` until it becomes final.
 * Longer than the usual pause between two polls, so that each poll postpones the end, up to `MAX_UNREAD_MS`.
 */
const UNREAD_MS = 3000;
/**
 * The most milliseconds of real time from the render of a job under the fault `late_end` until it becomes final, if polls
 * keep postponing its end.
 */
const MAX_UNREAD_MS = 8000;

/**
 * The queue of renders, the timers and the waiting calls of jobs. After the commit of each change of a job,
 * `#afterCommit` starts its render, plans its next change, or ends the waits for its end.
 */
export class JobRunner {
  readonly machine: JobStateMachine;
  readonly #parts: JobRunnerParts;
  readonly #queue: WorkQueue<QueueItem>;
  readonly #timers: JobTimers;
  /** Emits under the id of a job the final job or the error of a full disk, and `error` at a stop. */
  readonly #waiters = new EventEmitter().setMaxListeners(0);
  readonly #listeners = new Set<(job: Job) => void>();

  constructor(parts: JobRunnerParts) {
    const { database, clock, limits, work } = parts;
    this.#parts = parts;
    this.machine = new JobStateMachine(work, (job, next) => this.#afterCommit(job, next));
    this.#timers = new JobTimers(clock);
    this.#queue = new WorkQueue({
      clock,
      limits: { all: limits.atOnce },
      priorities: 2,
      owners: () => accountIdsWithQueuedJobs(database),
      next: (owner, except, priority) => findNextRenderQueueItem(database, owner, { except, ofCalls: priority === 0 }),
      work: (task) => this.#render(task),
    });
  }

  observe(listener: (job: Job) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  start(): void {
    this.#queue.open();
  }

  async stop(): Promise<void> {
    const closed = this.#queue.close();
    this.#queue.cut(new Error('the emulator is stopping'));
    // Rejects all waits: `once` rejects if an error is emitted.
    if (this.#waiters.listenerCount('error') > 0) this.#waiters.emit('error', stateReplacedError());
    this.#waiters.removeAllListeners();
    this.machine.forget();
    await closed;
    this.#timers.clear();
  }

  async whenFinal(jobId: string, signal: AbortSignal): Promise<Job> {
    const job = findJob(this.#parts.database, jobId);
    if (job && isFinal(job.status)) return job;
    try {
      const [end] = (await once(this.#waiters, jobId, { signal })) as [Job | Error];
      if (end instanceof Error) throw end;
      return end;
    } catch (error) {
      throw signal.aborted ? signal.reason : error;
    }
  }

  /**
   * Resolves once the render of a job has ended, or is postponed until the next start. Returns undefined if no render is
   * queued or in progress. Call it in the tick in which the job was read, because the job may get an outcome later.
   */
  renderEnd({ id, status, outcome }: OpenJob, signal?: AbortSignal): Promise<void> | undefined {
    if (outcome) return undefined;
    const isQueued = status === 'queued' && this.#queue.isOpen;
    return isQueued || this.#queue.isUnderWay(id) ? this.#queue.ended(id, signal) : undefined;
  }

  /**
   * Applies an input that must not be lost, such as the end of a job. Tries again after an error; on a full disk, a
   * waiting call gets the error.
   */
  async applyOrRetry(jobId: string, input: JobTransitionInput): Promise<void> {
    try {
      await this.#parts.database.transactOrRetry((tx) => this.machine.apply(tx, jobId, input));
    } catch (error) {
      this.applyLater(RETRY_AFTER_MS, jobId, input);
      this.#refuse(jobId, error);
    }
  }

  /** Applies an input after `milliseconds` of real time. */
  applyLater(milliseconds: number, jobId: string, input: JobTransitionInput): void {
    this.#timers.after(milliseconds, jobId, () => void this.applyOrRetry(jobId, input));
  }

  /**
   * Plans the end of a job. A job that is due now ends immediately if somebody waits for it or its progression no longer
   * delays it, and otherwise after `settleAfterMs`. Resolves after an immediate end.
   */
  async plan(job: OpenJob, next: JobEndCondition): Promise<void> {
    // The commit of the render plans the job again.
    if (next === 'render') return;
    if (typeof next === 'object') await this.#planEnd(job, next.at);
    else if (next === 'poll' && job.outcome && isDelayedByFault(job)) this.#planLate(job);
    else this.#timers.drop(job.id);
  }

  async #planEnd({ id, waiter, released }: OpenJob, at: number): Promise<void> {
    // The end is planned already. `at` may have passed: while the clock is moved, timers run one after another, and this
    // timer, which still ends the job, may not have run yet.
    if (this.#timers.timeOf(id) === at) return;
    if (at > this.#parts.clock.now()) this.#timers.at(at, id, () => this.#fallDue(id));
    else if (waiter !== null || released) await this.applyOrRetry(id, { kind: 'due' });
    else this.#planSoon(this.#parts.limits.settleAfterMs, id, { kind: 'due' });
  }

  #planLate({ id, faults }: OpenJob): void {
    const end = { kind: 'overdue' } as const;
    if (faults?.pace !== 'late_end') this.#planSoon(LATE_MS, id, end);
    else this.#timers.postpone(UNREAD_MS, MAX_UNREAD_MS, id, () => void this.applyOrRetry(id, end));
  }

  /**
   * Applies an input after `milliseconds` of real time. Keeps an existing timer of real time, so that frequent polls do
   * not postpone the end.
   */
  #planSoon(milliseconds: number, jobId: string, input: JobTransitionInput): void {
    if (this.#timers.timeOf(jobId) !== 'soon') this.applyLater(milliseconds, jobId, input);
  }

  #afterCommit(job: Job, next: JobEndCondition): void {
    if (next === 'ended') {
      this.#timers.drop(job.id);
      this.#waiters.emit(job.id, job);
      for (const listener of this.#listeners) listener(job);
      return;
    }
    const { id, accountId: owner, status, waiter } = job;
    // The job of a call starts at once if there is room. Otherwise the queue takes it in its turn.
    if (status === 'queued' && waiter === 'call') this.#queue.start({ id, owner });
    if (status === 'queued') this.#queue.wake(owner);
    void this.plan(job, next);
  }

  async #render({ item, signal }: QueueTask<QueueItem>): Promise<void> {
    const { database, work } = this.#parts;
    const started = database.transact((tx) => this.#markStarted(tx, item.id));
    const job = await started.catch((error: unknown) => {
      // The queue tries again. On a full disk, a waiting call gets the error.
      this.#refuse(item.id, error);
      throw error;
    });
    if (job) await work.render(job, signal, (outcome) => this.#store(job, outcome, signal));
  }

  #markStarted(tx: Transaction, jobId: string): Job | undefined {
    if (findJob(tx, jobId)?.status !== 'queued') return undefined;
    return this.machine.apply(tx, jobId, { kind: 'started' });
  }

  async #store(job: Job, outcome: JobOutcome, signal: AbortSignal): Promise<void> {
    const { database, clock, work } = this.#parts;
    for (;;) {
      try {
        await database.transactOrRetry((tx) => {
          work.registerFile(tx, job, outcome);
          this.machine.apply(tx, job.id, { kind: 'rendered', outcome });
        });
        return;
      } catch (error) {
        this.#refuse(job.id, error);
        await waitRealTime(clock, RETRY_AFTER_MS, signal);
      }
    }
  }

  /**
   * Ends a job at its due time. While the virtual clock is being moved, the clock stops at this time until the returned
   * promise settles. The job then ends at this time, even if its render takes longer.
   */
  #fallDue(jobId: string): void | Promise<void> {
    const job = findJob(this.#parts.database, jobId);
    const isAwaited = this.#waiters.listenerCount(jobId) > 0;
    // If somebody waits for the job, the clock also waits for the commit.
    if (!job?.outcome || isAwaited) return this.#endOnceRendered(jobId);
    void this.applyOrRetry(jobId, { kind: 'due' });
  }

  async #endOnceRendered(jobId: string): Promise<void> {
    for (;;) {
      const job = findJob(this.#parts.database, jobId);
      const rendered = job && !isFinal(job.status) ? this.renderEnd(job) : undefined;
      if (!rendered) break;
      await rendered;
      if (!this.#queue.isOpen) return;
    }
    await this.applyOrRetry(jobId, { kind: 'due' });
  }

  /**
   * Passes the error of a full disk to the call that waits for the job. Flow runs wait until there is room.
   */
  #refuse(jobId: string, failure: unknown): void {
    if (!isStorageFullError(failure)) return;
    const job = findJob(this.#parts.database, jobId);
    if (job?.waiter === 'call') this.#waiters.emit(jobId, failure);
  }
}

/** `at` is a time of the emulator's clock, or `soon` for a timer of real time. */
interface JobTimer {
  at: number | 'soon';
  /** When the job's timer was first set, in milliseconds of real time. */
  since: number;
  cancel: Cancel;
}

class JobTimers {
  readonly #clock: Clock;
  readonly #timers = new Map<string, JobTimer>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  timeOf(jobId: string): JobTimer['at'] | undefined {
    return this.#timers.get(jobId)?.at;
  }

  at(time: number, jobId: string, task: DueCallback): void {
    this.drop(jobId);
    const cancel = this.#clock.at(time, this.#ending(jobId, task));
    this.#timers.set(jobId, { at: time, since: this.#clock.real(), cancel });
  }

  after(milliseconds: number, jobId: string, task: () => void, since = this.#clock.real()): void {
    this.drop(jobId);
    const cancel = this.#clock.after(milliseconds, this.#ending(jobId, task));
    this.#timers.set(jobId, { at: 'soon', since, cancel });
  }

  /** Runs `task` after `milliseconds`, which start again at each call, but at most `longest` after the first call. */
  postpone(milliseconds: number, longest: number, jobId: string, task: () => void): void {
    const since = this.#timers.get(jobId)?.since ?? this.#clock.real();
    const left = since + longest - this.#clock.real();
    this.after(Math.max(0, Math.min(milliseconds, left)), jobId, task, since);
  }

  drop(jobId: string): void {
    this.#timers.get(jobId)?.cancel();
    this.#timers.delete(jobId);
  }

  clear(): void {
    for (const { cancel } of this.#timers.values()) cancel();
    this.#timers.clear();
  }

  #ending<T>(jobId: string, task: () => T): () => T {
    return () => {
      this.#timers.delete(jobId);
      return task();
    };
  }
}
