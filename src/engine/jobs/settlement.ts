import { EventEmitter, once } from 'node:events';
import { type Cancel, type Clock, Slice } from '../../base/clock/clock.ts';
import { Meanwhile } from '../../base/clock/due-queue.ts';
import { within } from '../../base/clock/waits.ts';
import type { Database } from '../../base/database/database.ts';
import type { Transaction } from '../../base/database/transaction.ts';
import { isStorageFull, overtaken } from '../../base/errors.ts';
import type { CrashHook, JobFaults } from '../faults/applied-fault.ts';
import { isFinal, type Job, type JobError, type NewJob, NO_ROOM, type Outcome } from './job.ts';
import { listReadyJobs, openJobIds } from './job-list-store.ts';
import { clearPace, completeJob, countPoll, findJob, insertJob, keepOutcome, releaseJob } from './job-store.ts';
import { findOpenJob, isLate, isReady, type OpenJob, readinessOf, readProgression } from './progression-store.ts';

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
  clock: Clock;
  /** Milliseconds of real time after which a finished render that no client reads is settled. */
  settleAfter: number;
  /** Ends the process once a job with that fault is settled; undefined where no supervisor would start it again. */
  crashHook: CrashHook | undefined;
  /** Writes all that the end of a job means: refund or library entry, status, and event. */
  end<Open extends NewJob>(tx: Transaction, ending: Ending<Open>): Job;
  /** Resolves once the work on a job is over; undefined when there is none. */
  workEnded(job: Pick<Job, 'id' | 'status'>): Promise<void> | undefined;
  /** Whether the emulator hangs up, and not the client. */
  isStopping(): boolean;
}

/** How long a request waits for a job, in milliseconds of real time. */
export const WAIT_LIMIT_MS = 55_000;

/** The error of a job whose call would have stayed open for a minute. */
const TOO_LATE: JobError = {
  code: 'render_failed',
  message:
    'The render was not there before a minute was over, and its charge was refunded. Send fewer requests at the same time, or order a job and poll it.',
};

/** After how long a settlement that failed is tried again, in milliseconds of real time. */
const RETRY_AFTER = 1000;
/** After how long a job that a fault rule makes late becomes final without being polled, in milliseconds of real time. */
const LATE_MS = 3000;

/** When a job is settled without a read: at a time of the emulator's clock, or soon. */
interface Plan {
  at: number | 'soon';
  cancel: Cancel;
}

/**
 * Makes jobs final. The outcome of the work is stored first and takes effect when the progression of the account allows
 * it: at once, after some seconds, at the nth poll, or by hand. Polls and the processor try to settle; jobs that no client
 * reads are planned, each for when it falls due, or soon after its render. Calls that wait for the end of a job wait here.
 */
export class Settlement {
  readonly crashHook: CrashHook | undefined;
  readonly #parts: SettlementParts;
  readonly #final = new EventEmitter().setMaxListeners(0);
  readonly #listeners = new Set<(job: Job) => void>();
  /** Jobs whose call was answered with `storage_full` and which are not refunded yet: they fail, whatever their outcome. */
  readonly #abandoned = new Set<string>();
  readonly #plans = new Map<string, Plan>();
  #period = new AbortController();

  constructor(parts: SettlementParts) {
    this.crashHook = parts.crashHook;
    this.#parts = parts;
  }

  /** Counts a poll, and settles the job if it is ready. Returns the job as the poll answers it. */
  async read(job: Job): Promise<Job> {
    if (isFinal(job.status)) return job;
    return this.#parts.database.transactOrRetry((tx) => {
      countPoll(tx, job.id);
      return this.settleWithin(tx, job.id);
    });
  }

  /** Makes a job final if it has an outcome and its progression allows it; returns the job as it is then. */
  settle(jobId: string): Promise<Job> {
    return this.#parts.database.transactOrRetry((tx) => this.settleWithin(tx, jobId));
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

  /** Plans a job that was ordered or has its outcome; settles it at once when a call waits for it. */
  async plan(jobId: string): Promise<void> {
    const job = findOpenJob(this.#parts.database, jobId);
    if (job) await this.#plan(job);
  }

  /** The progression of an account, or that of all, has changed. */
  async replan(accountId?: string): Promise<void> {
    const ids = openJobIds(this.#parts.database, accountId);
    await eachInSlices(ids, this.#period.signal, (id) => this.plan(id));
  }

  /**
   * Settles what is due now, in order of due time, once all of it is rendered; jobs that are ordered meanwhile are not
   * waited for. Throws `storage_full`, and `overtaken` at a reset or a stop.
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

  /** Where a full disk refused the end of a job, rejects the call that waits for it. Runs and pollers wait until there is room. */
  refuse(jobId: string, failure: unknown): void {
    if (!isStorageFull(failure)) return;
    const job = findJob(this.#parts.database, jobId);
    if (job?.awaited && !job.ofRun) this.#final.emit(jobId, failure);
  }

  /**
   * The end of a job that an open call waits for. No request stays open for a minute: a job that is not final by then
   * fails, and so does one whose end a full disk refuses. One that its request or its progression delays gets another
   * {@link WAIT_LIMIT_MS}. Once the client has hung up, unless the emulator is stopping, the job no longer waits for its
   * progression [I207]. Throws `storage_full` where the disk refuses the failure too.
   */
  async awaitFinal(jobId: string, gone: AbortSignal): Promise<Job> {
    try {
      return await this.#finalInTime(jobId, gone);
    } catch (error) {
      if (isStorageFull(error)) this.#abandon(jobId);
      else if (gone.aborted && !this.#parts.isStopping()) await this.#release(jobId);
      throw error;
    }
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

  /** All work is over: cancels what is planned, and rejects what waits for all that is due. */
  cancelPlans(): void {
    this.#period.abort(overtaken());
    this.#period = new AbortController();
    for (const { cancel } of this.#plans.values()) cancel();
    this.#plans.clear();
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
    this.#drop(job.id);
    for (const listener of this.#listeners) listener(job);
    this.#final.emit(job.id, job);
  }
  async #plan(job: OpenJob): Promise<void> {
    const { clock, settleAfter } = this.#parts;
    const { at, polls } = readinessOf(job, job.progression);
    // A job planned for a time falls due by the clock, also while the clock holds at this time for other jobs.
    if (this.#plans.get(job.id)?.at === at) return;
    if (at > clock.now()) this.#settleAt(at, job.id);
    else if (job.hasOutcome && polls > job.polls && isLate(job)) this.#settleLate(job.id);
    else if (!job.hasOutcome || polls > job.polls) this.#drop(job.id);
    else if (job.awaited || job.released) await this.#settleOrRetry(job.id);
    else this.#settleIn(settleAfter, job.id);
  }

  #due(): OpenJob[] {
    const { database, clock } = this.#parts;
    const now = clock.now();
    return listReadyJobs(database, now).filter((job) => isReady(job, job.progression, now));
  }

  #rendering(job: OpenJob): Promise<void> | undefined {
    return job.hasOutcome ? undefined : this.#parts.workEnded(job);
  }

  #settleAt(at: number, jobId: string): void {
    this.#drop(jobId);
    if (!Number.isFinite(at)) return;
    this.#plans.set(jobId, { at, cancel: this.#parts.clock.at(at, () => this.#fallDue(jobId)) });
  }

  #settleIn(milliseconds: number, jobId: string): void {
    this.#drop(jobId);
    const settle = () => void this.#settleOrRetry(jobId);
    this.#plans.set(jobId, { at: 'soon', cancel: this.#parts.clock.after(milliseconds, settle) });
  }

  /** The job becomes final at the poll that the fault rule names, or after `LATE_MS`. */
  #settleLate(jobId: string): void {
    if (this.#plans.has(jobId)) return;
    const { clock, database } = this.#parts;
    const end = async () => {
      await database.transact((tx) => clearPace(tx, jobId)).catch(() => undefined);
      await this.#settleOrRetry(jobId);
    };
    this.#plans.set(jobId, { at: 'soon', cancel: clock.after(LATE_MS, () => void end()) });
  }

  /** A clock that is being moved stays at the due time until the job is settled, so that its end has that time. */
  #fallDue(jobId: string): Promise<void> | Meanwhile {
    const { database } = this.#parts;
    this.#plans.delete(jobId);
    if (this.#final.listenerCount(jobId) > 0) return this.#settleRendered(jobId);
    let isDone = false;
    const settled = database.transact((tx) => {
      isDone = isFinal(this.settleWithin(tx, jobId).status);
    });
    const kept = settled.catch(() => this.#settleIn(RETRY_AFTER, jobId));
    return isDone ? new Meanwhile(kept) : kept.then(() => this.#settleRendered(jobId));
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

  /** A settlement that a full disk refuses is tried again: the outcome is stored, and a call that waits gets the error. */
  async #settleOrRetry(jobId: string): Promise<void> {
    try {
      await this.settle(jobId);
    } catch (error) {
      this.#settleIn(RETRY_AFTER, jobId);
      this.refuse(jobId, error);
    }
  }

  #drop(jobId: string): void {
    this.#plans.get(jobId)?.cancel();
    this.#plans.delete(jobId);
  }

  async #finalInTime(jobId: string, gone: AbortSignal): Promise<Job> {
    for (;;) {
      const wait = (signal: AbortSignal) => this.#endOf(jobId, signal);
      const end = await within(this.#parts.clock, { milliseconds: WAIT_LIMIT_MS, gone }, wait);
      if (end && end !== 'refused') return end;
      if (end === 'refused') await this.#giveUp(jobId, NO_ROOM);
      else if (this.#isOverdue(jobId)) await this.#giveUp(jobId, TOO_LATE);
    }
  }

  #endOf(jobId: string, signal: AbortSignal): Promise<Job | 'refused'> {
    return this.whenFinal(jobId, signal).catch((error: unknown) => {
      if (isStorageFull(error)) return 'refused';
      throw error;
    });
  }

  #isOverdue(jobId: string): boolean {
    const open = findOpenJob(this.#parts.database, jobId);
    return open !== undefined && isReady(open, open.progression, this.#parts.clock.now());
  }

  async #giveUp(jobId: string, error: JobError): Promise<void> {
    await this.#parts.database.transactOrRetry((tx) => {
      if (!findJob(tx, jobId)?.outcome) keepOutcome(tx, jobId, { error });
      return this.settleWithin(tx, jobId);
    });
  }

  /** The call was answered with `storage_full`: the job is refunded as soon as the disk has room. */
  #abandon(jobId: string): void {
    this.#abandoned.add(jobId);
    this.#settleIn(RETRY_AFTER, jobId);
  }

  async #release(jobId: string): Promise<void> {
    const released = this.#parts.database.transact((tx) => {
      releaseJob(tx, jobId);
      this.settleWithin(tx, jobId);
    });
    // What a full disk refuses here is tried again.
    await released.catch(() => undefined);
    await this.plan(jobId);
  }
}

/** A job without a due time of its own was due when it was ordered. */
function dueTime(job: OpenJob): number {
  return Math.max(job.created, readinessOf(job, job.progression).at);
}

/**
 * Starts `work` on each in slices, and resolves when all of it is done. Rejects with the first failure, and with the reason
 * of `signal` when that aborts before all is started.
 */
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
