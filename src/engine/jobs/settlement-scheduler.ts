import { type Cancel, type Clock, Slice } from '../../base/clock/clock.ts';
import { Meanwhile } from '../../base/clock/due-queue.ts';
import { within } from '../../base/clock/waits.ts';
import type { Database } from '../../base/database/database.ts';
import { isStorageFull, overtaken } from '../../base/errors.ts';
import { isFinal, type Job, type JobError, NO_ROOM } from './job.ts';
import { listRipeJobs, openJobIds } from './job-list-store.ts';
import { clearPace, findJob, keepOutcome, releaseJob } from './job-store.ts';
import { findOpenJob, isLate, isReady, type OpenJob, readinessOf } from './progression-store.ts';
import type { Settlement } from './settlement.ts';

/** How long a request waits for a job, in milliseconds of real time. */
export const WAIT_LIMIT_MS = 55_000;

/** The error of a job whose call would have stayed open for a minute. */
const TOO_LATE: JobError = {
  code: 'render_failed',
  message:
    'The render was not there before a minute was over, and its charge was refunded. Send fewer requests at the same time, or order a job and poll it.',
};

export interface SchedulerParts {
  database: Database;
  clock: Clock;
  settlement: Settlement;
  /** Milliseconds of real time after which a finished render that no client reads is settled. */
  settleAfter: number;
  processor: Pick<WaitParts['processor'], 'workEnded'>;
}

/** After how long a settlement that failed is tried again, in milliseconds of real time. */
const RETRY_AFTER = 1000;
/** After how long a job that a fault rule makes late becomes final without being polled, in milliseconds of real time. */
const LATE_MS = 3000;

/** When a job is settled without a read: at a time of the emulator's clock, or soon. */
interface Plan {
  at: number | 'soon';
  cancel: Cancel;
}

/** Settles jobs that no client reads: each when it falls due, or soon after its render. */
export class SettlementScheduler {
  readonly #parts: SchedulerParts;
  readonly #plans = new Map<string, Plan>();
  #period = new AbortController();

  constructor(parts: SchedulerParts) {
    this.#parts = parts;
    parts.settlement.observe((job) => this.#drop(job.id));
  }

  /** Plans a job that was ordered or has its outcome; settles it at once when a call waits for it. */
  async plan(jobId: string): Promise<void> {
    const job = findOpenJob(this.#parts.database, jobId);
    if (job) await this.#plan(job);
  }

  /** The call of the job was answered with `storage_full`: refunds it as soon as the disk has room. */
  abandon(jobId: string): void {
    this.#parts.settlement.abandon(jobId);
    this.#settleIn(RETRY_AFTER, jobId);
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
    const { settlement } = this.#parts;
    const period = this.#period.signal;
    let due = this.#due();
    const newest = due.at(-1)?.position ?? 0;
    for (;;) {
      const renders = due.flatMap((job) => this.#rendering(job) ?? []);
      if (renders.length === 0) {
        const ready = due.filter((job) => job.hasOutcome).sort((a, b) => dueTime(a) - dueTime(b));
        await eachInSlices(ready, period, ({ id }) => settlement.settle(id));
        return;
      }
      await Promise.all(renders);
      period.throwIfAborted();
      due = this.#due().filter(({ position }) => position <= newest);
    }
  }

  /** A reset or a stop: cancels all plans and rejects all waits. */
  rest(): void {
    this.#period.abort(overtaken());
    this.#period = new AbortController();
    for (const { cancel } of this.#plans.values()) cancel();
    this.#plans.clear();
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
    return listRipeJobs(database, now).filter((job) => isReady(job, job.progression, now));
  }

  #rendering(job: OpenJob): Promise<void> | undefined {
    return job.hasOutcome ? undefined : this.#parts.processor.workEnded(job);
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
    const { database, settlement } = this.#parts;
    this.#plans.delete(jobId);
    if (settlement.isAwaited(jobId)) return this.#settleRendered(jobId);
    let isDone = false;
    const settled = database.transact((tx) => {
      isDone = isFinal(settlement.settleWithin(tx, jobId).status);
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
      await this.#parts.settlement.settle(jobId);
    } catch (error) {
      this.#settleIn(RETRY_AFTER, jobId);
      this.#parts.settlement.refuse(jobId, error);
    }
  }

  #drop(jobId: string): void {
    this.#plans.get(jobId)?.cancel();
    this.#plans.delete(jobId);
  }
}

/** A job without a due time of its own was due when it was ordered. */
function dueTime(job: OpenJob): number {
  return Math.max(job.created, readinessOf(job, job.progression).at);
}

export interface WaitParts {
  database: Database;
  clock: Clock;
  processor: {
    /** Its `wake` reports that an account may have a queued job. */
    readonly queue: { wake(accountId: string): void };
    /** Resolves once the work on a job is over; undefined when there is none. */
    workEnded(job: Pick<Job, 'id' | 'status'>, signal?: AbortSignal): Promise<void> | undefined;
    readonly settlement: Settlement;
    readonly scheduler: SettlementScheduler;
  };
}

/**
 * The end of a job that an open call waits for. No request stays open for a minute: a job that is not final by then
 * fails, and so does one whose end a full disk refuses. One that its request or its progression delays gets another
 * {@link WAIT_LIMIT_MS}. Once the client has hung up, unless the emulator is stopping, the job no longer waits for its
 * progression [I207]. Throws `storage_full` where the disk refuses the failure too.
 */
export async function awaitFinal(
  parts: WaitParts,
  jobId: string,
  { gone, isStopping }: { gone: AbortSignal; isStopping: () => boolean },
): Promise<Job> {
  try {
    return await finalInTime(parts, jobId, gone);
  } catch (error) {
    if (isStorageFull(error)) parts.processor.scheduler.abandon(jobId);
    else if (gone.aborted && !isStopping()) await release(parts, jobId);
    throw error;
  }
}

async function finalInTime(parts: WaitParts, jobId: string, gone: AbortSignal): Promise<Job> {
  const { clock, processor } = parts;
  for (;;) {
    const wait = (signal: AbortSignal) => endOf(processor.settlement, jobId, signal);
    const end = await within(clock, { milliseconds: WAIT_LIMIT_MS, gone }, wait);
    if (end && end !== 'refused') return end;
    if (end === 'refused') await giveUp(parts, jobId, NO_ROOM);
    else if (isOverdue(parts, jobId)) await giveUp(parts, jobId, TOO_LATE);
  }
}

function endOf(settlement: Settlement, jobId: string, signal: AbortSignal): Promise<Job | 'refused'> {
  return settlement.whenFinal(jobId, signal).catch((error: unknown) => {
    if (isStorageFull(error)) return 'refused';
    throw error;
  });
}

function isOverdue({ database, clock }: WaitParts, jobId: string): boolean {
  const open = findOpenJob(database, jobId);
  return open !== undefined && isReady(open, open.progression, clock.now());
}

async function giveUp({ database, processor }: WaitParts, jobId: string, error: JobError): Promise<void> {
  await database.transactWithReserve((tx) => {
    if (!findJob(tx, jobId)?.outcome) keepOutcome(tx, jobId, { error });
    return processor.settlement.settleWithin(tx, jobId);
  });
}

async function release({ database, processor }: WaitParts, jobId: string): Promise<void> {
  const released = database.transact((tx) => {
    releaseJob(tx, jobId);
    processor.settlement.settleWithin(tx, jobId);
  });
  // What a full disk refuses here, the scheduler tries again.
  await released.catch(() => undefined);
  await processor.scheduler.plan(jobId);
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
