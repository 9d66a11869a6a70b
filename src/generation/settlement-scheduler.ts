import { type Cancel, type Clock, Meanwhile } from '../clock/clock.ts';
import type { Database } from '../database/database.ts';
import { overtaken } from '../errors.ts';
import { isFinal } from '../jobs/job.ts';
import { clearPace } from '../jobs/job-store.ts';
import { findOpenJob, listOpenJobs, listRipeJobs, type OpenJob } from '../jobs/open-job-store.ts';
import { isLate, isReady, readinessOf } from '../jobs/progression.ts';
import type { Settlement } from './settlement.ts';

export interface SchedulerParts {
  database: Database;
  clock: Clock;
  settlement: Settlement;
  /** Milliseconds of real time after which a finished render that nobody reads is settled. */
  settleAfter: number;
  /** Resolves once the render of a job is over; undefined when nobody works on it, nor will. */
  rendering(job: Pick<OpenJob, 'id' | 'status'>): Promise<void> | undefined;
}

/** After how long a settlement that failed is tried again, in milliseconds of real time. */
const RETRY_AFTER = 1000;
/** After how long a job that a fault rule makes late is so no more, in milliseconds of real time. */
const LATE_MS = 3000;

/** When a job is looked at by itself: at a time of the emulator's clock, or soon. */
interface Plan {
  at: number | 'soon';
  cancel: Cancel;
}

/** When each open job is settled though nobody reads it: when it falls due, or soon after its render. */
export class SettlementScheduler {
  readonly #parts: SchedulerParts;
  readonly #plans = new Map<string, Plan>();
  #life = new AbortController();

  constructor(parts: SchedulerParts) {
    this.#parts = parts;
    parts.settlement.observe((job) => this.#drop(job.id));
  }

  /** A job was ordered or has its outcome: settles it at once when a call waits for it, else when its time has come. */
  async plan(jobId: string): Promise<void> {
    const job = findOpenJob(this.#parts.database, jobId);
    if (job) await this.#plan(job);
  }

  /** Its call was answered with `storage_full`: refunds it as soon as the disk takes that. */
  forsake(jobId: string): void {
    this.#parts.settlement.forsake(jobId);
    this.#settleIn(RETRY_AFTER, jobId);
  }

  /** The progression of an account, or that of all, has changed. */
  async replan(accountId?: string): Promise<void> {
    const jobs = listOpenJobs(this.#parts.database, accountId);
    await Promise.all(jobs.map((job) => this.#plan(job)));
  }

  /**
   * Settles what is due now, in the order of its due time, after what of it is still being rendered; what is ordered
   * meanwhile is not waited for. Throws `storage_full`, and `overtaken` at a reset or a stop.
   */
  async settleDue(): Promise<void> {
    const { settlement } = this.#parts;
    const life = this.#life.signal;
    let due = this.#due();
    const newest = due.at(-1)?.position ?? 0;
    for (;;) {
      const renders = due.flatMap((job) => this.#rendering(job) ?? []);
      if (renders.length === 0) {
        const ready = due.filter((job) => job.hasOutcome).sort((a, b) => dueTime(a) - dueTime(b));
        await Promise.all(ready.map(({ id }) => settlement.settle(id)));
        return;
      }
      await Promise.all(renders);
      life.throwIfAborted();
      due = this.#due().filter(({ position }) => position <= newest);
    }
  }

  /** A reset or a stop: nothing is planned any more, and whoever waits is told. */
  rest(): void {
    this.#life.abort(overtaken());
    this.#life = new AbortController();
    for (const { cancel } of this.#plans.values()) cancel();
    this.#plans.clear();
  }

  async #plan(job: OpenJob): Promise<void> {
    const { clock, settleAfter } = this.#parts;
    const { at, polls } = readinessOf(job, job.progression);
    // What is planned for a time falls due by the clock, also while that stands at this very time for others.
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
    return job.hasOutcome ? undefined : this.#parts.rendering(job);
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

  /** Final at the read that was asked for, or once this is over. */
  #settleLate(jobId: string): void {
    if (this.#plans.has(jobId)) return;
    const { clock, database } = this.#parts;
    const end = async () => {
      await database.transact((tx) => clearPace(tx, jobId)).catch(() => undefined);
      await this.#settleOrRetry(jobId);
    };
    this.#plans.set(jobId, { at: 'soon', cancel: clock.after(LATE_MS, () => void end()) });
  }

  /** A clock that is moved stands at the due time until the job is settled: so the job's end is stamped with it. */
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
    const life = this.#life.signal;
    for (;;) {
      const job = findOpenJob(this.#parts.database, jobId);
      const render = job && this.#rendering(job);
      if (!render) break;
      await render;
      if (life.aborted) return;
    }
    await this.#settleOrRetry(jobId);
  }

  /** What a full disk refuses now it may take later: the outcome is kept, and only a call that waits hears of it. */
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

/** A job without a time of its own was due when it was ordered. */
function dueTime(job: OpenJob): number {
  return Math.max(job.created, readinessOf(job, job.progression).at);
}
