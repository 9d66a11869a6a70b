import { abortWith, type Clock, pause, Slice, within } from '../../base/clock/clock.ts';
import { PendingCommit } from '../../base/clock/due-queue.ts';
import type { Database } from '../../base/database/database.ts';
import type { Transaction } from '../../base/database/transaction.ts';
import { isStorageFull, overtaken } from '../../base/errors.ts';
import { type QueueItem, RETRY_AFTER, type Task, WorkQueue } from '../work-queue.ts';
import { isFinal, type JobError, NO_ROOM, TOO_LATE } from './job.ts';
import { PlannedEnds, WaitingCalls } from './job-ends.ts';
import { JobMachine, type JobWork, type WorkDone } from './job-machine.ts';
import { findJob, type Job, type NewJob, nextQueued, ownersOfQueued } from './job-store.ts';
import {
  dueTime,
  findOpenJob,
  isLate,
  isReady,
  listReadyJobs,
  type OpenJob,
  openJobIds,
  readinessOf,
} from './progression-store.ts';

interface JobsParts {
  work: JobWork;
  database: Database;
  clock: Clock;
  /** True if the emulator closes the connection, and not the client. */
  isStopping(): boolean;
  limits: {
    /** Milliseconds of real time until a finished render that nobody reads is settled. */
    settleAfter: number;
    atOnce: number;
  };
}

/** Milliseconds of real time. */
export const WAIT_LIMIT_MS = 55_000;
/** Milliseconds of real time until a late job becomes final without being polled. */
const LATE_MS = 3000;

/**
 * Decides when work starts and when a job is settled. Orders, polls and finished work settle a job at once if possible. A
 * job that nobody reads has a planned end. A write is retried on a full disk.
 */
export class Jobs {
  readonly #parts: JobsParts;
  readonly #machine: JobMachine;
  /** By account. Jobs that an open call waits for come first. */
  readonly #queue: WorkQueue<QueueItem>;
  readonly #planned: PlannedEnds;
  readonly #waiting = new WaitingCalls();
  #period = new AbortController();

  constructor(parts: JobsParts) {
    const { database, clock, limits } = parts;
    this.#parts = parts;
    this.#machine = new JobMachine(parts.work);
    this.#planned = new PlannedEnds(clock);
    this.#queue = new WorkQueue({
      clock,
      limits: { all: limits.atOnce },
      priorities: 2,
      owners: () => ownersOfQueued(database),
      next: (owner, except, priority) => nextQueued(database, owner, { except, ofCalls: priority === 0 }),
      work: (task) => this.#process(task),
    });
    this.observe(({ id }) => this.#planned.drop(id));
    this.observe((job) => this.#waiting.resolve(job));
  }

  async start(): Promise<void> {
    await this.#parts.database.transactOrRetry((tx) => this.#machine.restart(tx));
    await this.replan();
    this.#queue.open();
  }

  /** Interrupts the work in progress, and rejects all waits. */
  async stop(): Promise<void> {
    const closed = this.#queue.close();
    this.#queue.cut(new Error('the emulator is stopping'));
    this.#waiting.rejectAll(overtaken());
    this.#machine.forget();
    await closed;
    this.#period.abort(overtaken());
    this.#period = new AbortController();
    this.#planned.clear();
  }

  observe(listener: (job: Job) => void): () => void {
    return this.#machine.observe(listener);
  }

  /**
   * The work for a call begins in a microtask, because transactions do not nest. The microtask joins the commit of the
   * order. Other work begins after that commit, as does work for a call that found no room in the queue.
   */
  order(tx: Transaction, ordered: readonly NewJob[]): Job[] {
    const jobs = ordered.map((job) => this.#machine.order(tx, job));
    for (const { id, accountId: owner, status, waiter } of jobs) {
      if (isFinal(status)) continue;
      if (waiter === 'call') queueMicrotask(() => this.#queue.start({ id, owner }));
      tx.onCommit(() => {
        void this.#planById(id);
        this.#queue.wake(owner);
      });
    }
    return jobs;
  }

  /** The work starts during the commit: `transact` calls its function before it returns, so the job is taken by then. */
  async #process({ item, signal }: Task<QueueItem>): Promise<void> {
    const taken: { job?: Job | undefined } = {};
    const cut = new AbortController();
    const release = abortWith(cut, signal);
    const moved = this.#parts.database.transact((tx) => {
      taken.job = this.#start(tx, item.id);
    });
    const kept = moved.catch((reason: unknown) => cut.abort(reason));
    await Promise.allSettled([kept, taken.job && this.#work(taken.job, cut.signal)]);
    release();
    await moved.catch((error: unknown) => {
      // The queue tries again, for example after a full disk.
      this.#refuse(item.id, error);
      throw error;
    });
  }

  #start(tx: Transaction, jobId: string): Job | undefined {
    if (findJob(tx, jobId)?.status !== 'queued') return undefined;
    return this.#machine.apply(tx, jobId, { kind: 'started' });
  }

  #store(tx: Transaction, jobId: string, { outcome, write }: WorkDone): void {
    write(tx);
    this.#machine.apply(tx, jobId, { kind: 'rendered', outcome });
  }

  async #work(job: Job, signal: AbortSignal): Promise<void> {
    await this.#parts.work.run(job, signal, async (done) => {
      while (!(await this.#tryToStore(job, done))) await pause(this.#parts.clock, RETRY_AFTER, signal);
      await this.#planById(job.id);
    });
  }

  async #tryToStore(job: Job, done: WorkDone): Promise<boolean> {
    try {
      await this.#parts.database.transactOrRetry((tx) => this.#store(tx, job.id, done));
      return true;
    } catch (error) {
      this.#refuse(job.id, error);
      return false;
    }
  }

  /**
   * Resolves once the work on a job has ended, or is postponed until the next start. Undefined if there is none. Call it in
   * the tick in which the job was read.
   */
  #workEnded({ id, status }: Pick<Job, 'id' | 'status'>, signal?: AbortSignal): Promise<void> | undefined {
    const isQueued = status === 'queued' && this.#queue.isOpen;
    return isQueued || this.#queue.isUnderWay(id) ? this.#queue.ended(id, signal) : undefined;
  }

  #rendering(job: OpenJob): Promise<void> | undefined {
    return job.hasOutcome ? undefined : this.#workEnded(job);
  }

  /** If the job becomes final at this poll, the poll waits for the render. */
  async poll(job: Job, gone: AbortSignal): Promise<Job> {
    if (isFinal(job.status)) return job;
    const { database, clock } = this.#parts;
    const seen = await database.transactOrRetry((tx) => this.#machine.apply(tx, job.id, { kind: 'polled' }));
    const open = isFinal(seen.status) ? undefined : findOpenJob(database, job.id);
    if (!open || (open.progression.mode !== 'polls' && !isLate(open))) return seen;
    if (!isReady(open, open.progression, clock.now())) return seen;
    if (!open.hasOutcome) {
      await within(clock, { milliseconds: WAIT_LIMIT_MS, gone }, async (signal) => {
        await this.#workEnded(open, signal);
      });
    }
    return this.settle(job.id);
  }

  /**
   * Ignores the progression. Without `failure` the job succeeds. A failure is final at once, a success once it is rendered:
   * after {@link WAIT_LIMIT_MS} the job is returned as it is. Throws `not_found`, and `conflict` for a final job.
   */
  async finish(jobId: string, { failure, gone }: { failure: string | undefined; gone: AbortSignal }): Promise<Job> {
    const { database, clock } = this.#parts;
    const released = await database.transact((tx) => this.#machine.finish(tx, jobId, failure));
    if (isFinal(released.status)) return released;
    this.#queue.wake(released.accountId);
    const wait = (signal: AbortSignal) => this.whenFinal(jobId, signal);
    const final = await within(clock, { milliseconds: WAIT_LIMIT_MS, gone }, wait);
    return final ?? findJob(database, jobId) ?? released;
  }

  cutShort(tx: Transaction, jobId: string, error: JobError): void {
    const job = findJob(tx, jobId);
    if (job && !isFinal(job.status)) this.#machine.apply(tx, jobId, { kind: 'cut', error });
  }

  settle(jobId: string): Promise<Job> {
    return this.#parts.database.transactOrRetry((tx) => this.#machine.apply(tx, jobId, { kind: 'due' }));
  }

  /**
   * Settles due jobs in the order of their due times. Does not wait for new jobs. Throws `storage_full`, and `overtaken` at
   * a reset or a stop.
   */
  async settleDue(): Promise<void> {
    const period = this.#period.signal;
    let due = this.#due();
    const newest = due.at(-1)?.position ?? 0;
    for (;;) {
      const renders = due.flatMap((job) => this.#rendering(job) ?? []);
      if (renders.length === 0) {
        const ready = due.filter((job) => job.hasOutcome).sort((a, b) => dueTime(a) - dueTime(b));
        await eachInSlices(ready, period, ({ id }) => this.settle(id));
        return;
      }
      await Promise.all(renders);
      period.throwIfAborted();
      due = this.#due().filter(({ position }) => position <= newest);
    }
  }

  #due(): OpenJob[] {
    const { database, clock } = this.#parts;
    const now = clock.now();
    return listReadyJobs(database, now).filter((job) => isReady(job, job.progression, now));
  }

  async replan(accountId?: string): Promise<void> {
    const ids = openJobIds(this.#parts.database, accountId);
    await eachInSlices(ids, this.#period.signal, (id) => this.#planById(id));
  }

  async #planById(jobId: string): Promise<void> {
    const job = findOpenJob(this.#parts.database, jobId);
    if (job) await this.#plan(job);
  }

  /** Settles the job at once if a call waits for it. */
  async #plan(job: OpenJob): Promise<void> {
    const { clock, limits } = this.#parts;
    const { at, polls } = readinessOf(job, job.progression);
    // The planned end falls due by the clock, even if the clock is held for other jobs.
    if (this.#planned.timeOf(job.id) === at) return;
    if (at > clock.now()) this.#planned.at(at, job.id, () => this.#fallDue(job.id));
    else if (job.hasOutcome && polls > job.polls && isLate(job)) this.#planLate(job.id);
    else if (!job.hasOutcome || polls > job.polls) this.#planned.drop(job.id);
    else if (job.waiter !== null || job.released) await this.#settleOrRetry(job.id);
    else this.#settleIn(limits.settleAfter, job.id);
  }

  #settleIn(milliseconds: number, jobId: string): void {
    this.#planned.soon(milliseconds, jobId, () => this.#settleOrRetry(jobId));
  }

  #planLate(jobId: string): void {
    if (this.#planned.timeOf(jobId) !== undefined) return;
    this.#planned.soon(LATE_MS, jobId, async () => {
      const kept = this.#parts.database.transact((tx) => this.#machine.apply(tx, jobId, { kind: 'overdue' }));
      await kept.catch(() => undefined);
      await this.#settleOrRetry(jobId);
    });
  }

  /** A moving clock stops at the due time until the job is settled, so that its end has that time. */
  #fallDue(jobId: string): Promise<void> | PendingCommit {
    if (this.#waiting.isAwaited(jobId)) return this.#settleRendered(jobId);
    let isDone = false;
    const settled = this.#parts.database.transact((tx) => {
      isDone = isFinal(this.#machine.apply(tx, jobId, { kind: 'due' }).status);
    });
    const kept = settled.catch(() => this.#settleIn(RETRY_AFTER, jobId));
    return isDone ? new PendingCommit(kept) : kept.then(() => this.#settleRendered(jobId));
  }

  async #settleRendered(jobId: string): Promise<void> {
    const period = this.#period.signal;
    for (;;) {
      const job = findOpenJob(this.#parts.database, jobId);
      const render = job && this.#rendering(job);
      if (!render) break;
      await render;
      if (period.aborted) return;
    }
    await this.#settleOrRetry(jobId);
  }

  /** On a full disk the outcome is stored and settled later, and a waiting call gets the error. */
  async #settleOrRetry(jobId: string): Promise<void> {
    try {
      await this.settle(jobId);
    } catch (error) {
      this.#settleIn(RETRY_AFTER, jobId);
      this.#refuse(jobId, error);
    }
  }

  /** Rejects with the reason of `signal`, or with the error of the disk. */
  async whenFinal(jobId: string, signal: AbortSignal): Promise<Job> {
    const job = findJob(this.#parts.database, jobId);
    return job && isFinal(job.status) ? job : this.#waiting.untilFinal(jobId, signal);
  }

  /**
   * A call returns within a minute: a job that is not final by then fails. A delayed job gets another {@link
   * WAIT_LIMIT_MS}. After the client disconnects, the job ignores its progression, unless the emulator is stopping. Throws
   * `storage_full` if the disk refuses the failure too, and the job is refunded once there is room [I207].
   */
  async awaitEnd({ id, waiter }: Job, gone: AbortSignal): Promise<Job> {
    if (waiter !== 'call') return this.whenFinal(id, gone);
    try {
      return await this.#endInTime(id, gone);
    } catch (error) {
      if (isStorageFull(error)) {
        this.#machine.abandon(id);
        this.#settleIn(RETRY_AFTER, id);
      } else if (gone.aborted && !this.#parts.isStopping()) await this.#release(id);
      throw error;
    }
  }

  async #endInTime(jobId: string, gone: AbortSignal): Promise<Job> {
    for (;;) {
      const wait = (signal: AbortSignal) => this.whenFinal(jobId, signal).catch(refusedByDisk);
      const end = await within(this.#parts.clock, { milliseconds: WAIT_LIMIT_MS, gone }, wait);
      if (end && end !== 'refused') return end;
      if (end === 'refused') await this.#giveUp(jobId, NO_ROOM);
      else if (this.#isOverdue(jobId)) await this.#giveUp(jobId, TOO_LATE);
    }
  }

  #isOverdue(jobId: string): boolean {
    const open = findOpenJob(this.#parts.database, jobId);
    return open !== undefined && isReady(open, open.progression, this.#parts.clock.now());
  }

  async #giveUp(jobId: string, error: JobError): Promise<void> {
    await this.#parts.database.transactOrRetry((tx) => this.#machine.apply(tx, jobId, { kind: 'gave_up', error }));
  }

  async #release(jobId: string): Promise<void> {
    const released = this.#parts.database.transact((tx) => this.#machine.apply(tx, jobId, { kind: 'hung_up' }));
    await released.catch(() => undefined);
    await this.#planById(jobId);
  }

  /** Only calls are rejected. Runs and polls wait until there is room. */
  #refuse(jobId: string, failure: unknown): void {
    if (!isStorageFull(failure)) return;
    const job = findJob(this.#parts.database, jobId);
    if (job?.waiter === 'call') this.#waiting.refuse(jobId, failure);
  }
}

function refusedByDisk(error: unknown): 'refused' {
  if (isStorageFull(error)) return 'refused';
  throw error;
}

/** Starts `work` on each item in slices. Rejects with the first failure, or with the reason of `signal`. */
async function eachInSlices<T>(
  items: readonly T[],
  signal: AbortSignal,
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  const slice = new Slice();
  const pending: Promise<unknown>[] = [];
  for (const item of items) {
    pending.push(work(item));
    if (!slice.isOver) continue;
    await Promise.all(pending.splice(0));
    await slice.turn();
    signal.throwIfAborted();
  }
  await Promise.all(pending);
}
