import { EventEmitter, once } from 'node:events';
import type { Cancel, Clock } from '../clock/clock.ts';
import type { Database } from '../database/database.ts';
import type { Transaction } from '../database/transaction.ts';
import { overtaken } from '../errors.ts';
import type { Die } from '../faults/struck.ts';
import {
  type FinishedFile,
  isFinal,
  type Job,
  type JobError,
  type JobResult,
  type Outcome,
} from '../jobs/job.ts';
import { completeJob, countPoll, findJob, keepOutcome, openJobs } from '../jobs/job-store.ts';
import { refund } from '../ledger/ledger.ts';
import { addEntry, entryName, entryUrl, findEntry } from '../library/library.ts';
import type { Random } from '../random.ts';
import type { Objects } from '../storage/objects.ts';
import type { Webhooks } from '../webhooks/webhooks.ts';
import { announcement } from './announcement.ts';

export interface SettlementParts {
  database: Database;
  clock: Clock;
  random: Random;
  objects: Objects;
  webhooks: Webhooks;
  /** Milliseconds of real time after which a finished render that nobody reads is settled. */
  settleAfter: number;
  /** Ends the process once a job that is marked so is settled; undefined where none would start it again. */
  die: Die | undefined;
}

/** After how long a settlement that failed is tried again, in milliseconds of real time. */
const RETRY_AFTER = 1000;

/** How long a call waits for its render, in milliseconds of real time. */
const PATIENCE = 55_000;

const TOO_LATE: JobError = {
  code: 'render_failed',
  message:
    'The render was not there before a minute was over, and its charge was refunded. Send fewer requests at the same time, or order a job and poll it.',
};

/**
 * The last part of the road: what a render came to becomes true. In one transaction the job is final, its file is in
 * the library or its charge refunded, and its event written; the event is sent after the commit.
 */
export class Settlement {
  readonly #parts: SettlementParts;
  readonly #final = new EventEmitter().setMaxListeners(0);
  readonly #expected = new Map<string, Cancel>();

  constructor(parts: SettlementParts) {
    this.#parts = parts;
  }

  /** A job has its outcome: settles it when its time has come, at once when a call waits for it, else soon. */
  async expect(job: Pick<Job, 'id' | 'readyAt' | 'awaited'>): Promise<void> {
    const { clock, settleAfter } = this.#parts;
    if (job.readyAt !== null && job.readyAt > clock.now()) {
      const settle = () => this.#settleOrRetry(job.id);
      this.#expected.set(job.id, clock.at(job.readyAt, settle));
    } else if (job.awaited) {
      await this.#settleOrRetry(job.id);
    } else {
      this.#settleIn(settleAfter, job.id);
    }
  }

  /** What a poll sees: counts it, and settles the job when it is ready. */
  async read(job: Job): Promise<Job> {
    if (isFinal(job.status)) return job;
    return this.#parts.database.transact((tx) => {
      countPoll(tx, job.id);
      return this.#settleWithin(tx, job.id);
    });
  }

  /** Makes a job final if its outcome is there and its time has come; answers it as it is then. */
  settle(jobId: string): Promise<Job> {
    return this.#parts.database.transact((tx) => this.#settleWithin(tx, jobId));
  }

  /** Settles all that is ready; answers how many jobs are due but still being rendered. */
  async settleReady(): Promise<number> {
    const { database, clock } = this.#parts;
    const due = openJobs(database).filter((job) => (job.readyAt ?? 0) <= clock.now());
    const ready = due.filter((job) => job.outcome);
    await Promise.all(ready.map((job) => this.settle(job.id)));
    return due.length - ready.length;
  }

  /**
   * Resolves when the job is final; rejects with the signal's reason when that ends first.
   * No request stays open for a minute: what is not there by then fails, unless it was to be slow.
   */
  async whenFinal(jobId: string, signal: AbortSignal): Promise<Job> {
    const { database, clock } = this.#parts;
    const job = findJob(database, jobId);
    if (job && isFinal(job.status)) return job;
    const isSlow = job?.readyAt != null;
    const forget = isSlow ? undefined : clock.after(PATIENCE, () => this.#giveUp(jobId));
    try {
      const [final] = await once(this.#final, jobId, { signal });
      return final;
    } catch (error) {
      throw signal.aborted ? signal.reason : error;
    } finally {
      forget?.();
    }
  }

  /** Forgets what was expected: a reset or a stop. Whoever still waits is told. */
  forget(): void {
    for (const cancel of this.#expected.values()) cancel();
    this.#expected.clear();
    // `once` rejects with what is emitted as an error.
    if (this.#final.listenerCount('error') > 0) this.#final.emit('error', overtaken());
    this.#final.removeAllListeners();
  }

  #settleIn(milliseconds: number, jobId: string): void {
    const settle = () => void this.#settleOrRetry(jobId);
    this.#expected.set(jobId, this.#parts.clock.after(milliseconds, settle));
  }

  /** What a full disk refuses now it may take later: the outcome is kept, and nobody hears of the failure. */
  async #settleOrRetry(jobId: string): Promise<void> {
    try {
      await this.settle(jobId);
    } catch {
      this.#settleIn(RETRY_AFTER, jobId);
    }
  }

  #giveUp(jobId: string): void {
    this.#parts.database
      .transact((tx) => {
        if (!findJob(tx, jobId)?.outcome) keepOutcome(tx, jobId, { error: TOO_LATE });
        this.#settleWithin(tx, jobId);
      })
      .catch(() => this.#settleIn(RETRY_AFTER, jobId));
  }

  #settleWithin(tx: Transaction, jobId: string): Job {
    const job = findJob(tx, jobId);
    if (!job) throw new Error(`no job ${jobId} to settle`);
    const { outcome } = job;
    if (isFinal(job.status) || !outcome || (job.readyAt ?? 0) > tx.now) return job;
    const result =
      'error' in outcome ? this.#fail(tx, job, outcome) : this.#succeed(tx, job, outcome);
    const status = 'error' in result ? 'failed' : 'succeeded';
    completeJob(tx, job, { status, outcome, result });
    const settled: Job = { ...job, status, result, completed: tx.now };
    this.#announce(tx, settled);
    tx.onCommit(() => this.#told(settled));
    const { die } = this.#parts;
    if (die && job.faults?.crash === 'after_settle') tx.onCommit(die);
    return settled;
  }

  #fail(tx: Transaction, job: Job, { error }: Extract<Outcome, { error: unknown }>): JobResult {
    refund(tx, this.#parts.random, { accountId: job.accountId, n: job.charge });
    return { error };
  }

  #succeed(tx: Transaction, job: Job, outcome: FinishedFile): JobResult {
    const { random, objects } = this.#parts;
    const { accountId, id, medium, model, credits, seed } = job;
    const { bytes, contentType } = outcome;
    const object = job.store
      ? objects.create(tx, {
          accountId,
          name: entryName({ id, contentType }),
          file: outcome.file,
          bytes,
          contentType,
        })
      : undefined;
    const entryId = addEntry(tx, random, {
      accountId,
      job: { id, medium, model, credits, ...(seed === null ? {} : { seed }) },
      file: { name: outcome.file, bytes, contentType, seconds: outcome.seconds },
      ...(object ? { objectId: object.id } : {}),
      recipe: job.parameters,
      render: job.render,
    });
    const entry = findEntry(tx, entryId);
    if (!entry) throw new Error(`library entry ${entryId} was not written`);
    return {
      result_url: job.baseUrl + entryUrl(tx, entry, tx.now),
      content_type: contentType,
      library_id: entryId,
      ...(medium === 'music' ? { duration: outcome.seconds } : {}),
    };
  }

  #announce(tx: Transaction, job: Job): void {
    const event = announcement(job);
    if (!event) return;
    const { workspaceId, accountId, id, faults } = job;
    this.#parts.webhooks.announce(tx, { ...event, workspaceId, accountId, jobId: id, faults });
  }

  #told(job: Job): void {
    this.#expected.get(job.id)?.();
    this.#expected.delete(job.id);
    this.#final.emit(job.id, job);
  }
}
