import { type Clock, pause } from '../clock/clock.ts';
import type { Config } from '../config/config.ts';
import type { Database } from '../database/database.ts';
import type { Transaction } from '../database/transaction.ts';
import { EmulatorError, isStorageFull } from '../errors.ts';
import type { Job, NewJob, Outcome } from '../jobs/job.ts';
import { JobRunner } from '../jobs/job-runner.ts';
import { clearCrash, findJob, keepOutcome, moveJob, openJobs, releaseJob } from '../jobs/job-store.ts';
import type { GivenFile, Renderer, RenderOptions, RenderRequest } from '../render/render-request.ts';
import { asDiskError } from '../storage/disk-error.ts';
import type { KeptFile } from '../storage/file-store.ts';
import type { Files, Hold } from '../storage/files.ts';
import { askedError, INTERRUPTED, renderError } from './job-errors.ts';
import { finished, fromRenderCache, placed } from './render-cache.ts';
import type { Settlement } from './settlement.ts';
import { SettlementScheduler } from './settlement-scheduler.ts';
import type { UnansweredCalls } from './unanswered-calls.ts';
import { awaitFinal } from './wait-with-timeout.ts';

export interface ProcessorParts {
  database: Database;
  clock: Clock;
  files: Files;
  renderer: Renderer;
  settlement: Settlement;
  unanswered: UnansweredCalls;
  mediaSize: Config['mediaSize'];
  limits: {
    /** Milliseconds of real time after which a finished render that nobody reads is settled. */
    settleAfter: number;
    /** How many renders are under way at once. */
    atOnce: number;
  };
}

/** What the work came to, and the file that it made or found. */
interface Done {
  outcome: Outcome;
  file?: KeptFile;
}

/** After how long an outcome that could not be kept is written again, in milliseconds of real time. */
const RETRY_AFTER = 1000;

/** Where jobs become files: takes them off the queue, renders (or finds the same render again) and hands the outcome on. */
export class JobProcessor {
  readonly runner: JobRunner;
  readonly scheduler: SettlementScheduler;
  readonly settlement: Settlement;
  readonly mediaSize: Config['mediaSize'];
  readonly #parts: ProcessorParts;
  /** Renders under way by fingerprint: two jobs for the same bytes render once. */
  readonly #underWay = new Map<string, Promise<void>>();

  constructor(parts: ProcessorParts) {
    this.#parts = parts;
    this.settlement = parts.settlement;
    this.mediaSize = parts.mediaSize;
    this.runner = new JobRunner({
      database: parts.database,
      clock: parts.clock,
      limit: parts.limits.atOnce,
      work: (job, signal) => this.#work(job, signal),
      onRefused: (jobId, failure) => this.settlement.refuse(jobId, failure),
    });
    this.scheduler = new SettlementScheduler({
      ...parts,
      settleAfter: parts.limits.settleAfter,
      rendering: (job) => this.runner.left(job),
    });
  }

  /**
   * Takes up what the last run left: a job whose call can be answered no more fails and is refunded, also where its render
   * was there and only its time had not come; of the others, those without an outcome are queued again.
   */
  async wake(): Promise<void> {
    await this.#parts.database.insist((tx) => {
      for (const job of openJobs(tx)) {
        if (job.awaited && !job.ofRun) {
          keepOutcome(tx, job.id, { error: INTERRUPTED });
          releaseJob(tx, job.id);
        } else if (!job.outcome && job.status === 'processing') moveJob(tx, job, 'queued');
      }
    });
    await this.scheduler.replan();
    this.runner.open();
  }

  /** Cuts off what is under way; whoever waits for it is told. */
  async rest(): Promise<void> {
    await this.runner.close();
    this.scheduler.rest();
  }

  /** The end of a job that an open call waits for; once its client has hung up, nothing holds it back any more [I207]. */
  async awaitFinal(jobId: string, gone: AbortSignal): Promise<Job> {
    try {
      return await awaitFinal(this.#parts, jobId, gone);
    } catch (error) {
      if (isStorageFull(error)) this.scheduler.forsake(jobId);
      else if (gone.aborted && !this.#parts.unanswered.isStopping) await this.#letGo(jobId);
      throw error;
    }
  }

  /** Takes an order on; it is final at once if its file is there already, and nothing holds it back. */
  takeOn(tx: Transaction, job: NewJob): Job {
    return this.settlement.record(tx, fromRenderCache(this.#parts, tx, job));
  }

  async #letGo(jobId: string): Promise<void> {
    const released = this.#parts.database.transact((tx) => {
      releaseJob(tx, jobId);
      this.settlement.settleWithin(tx, jobId);
    });
    await released.catch(ignore);
    await this.scheduler.plan(jobId);
  }

  async #work(job: Job, signal: AbortSignal): Promise<void> {
    await this.#parts.files.holding(async (hold) => {
      const done = await this.#outcome(job, hold, signal);
      await this.#keepLong(job, done, signal);
      await this.scheduler.plan(job.id);
    });
  }

  /** What a full disk refuses now it may take later. */
  async #keepLong(job: Job, done: Done, signal: AbortSignal): Promise<void> {
    for (;;) {
      try {
        return await this.#keep(job, done);
      } catch (error) {
        this.settlement.refuse(job.id, error);
        await pause(this.#parts.clock, RETRY_AFTER, signal);
      }
    }
  }

  /**
   * Writes what the work came to. What a call waits for is settled
   * with it where nothing holds it back; when other jobs are, is for the agenda to say.
   */
  #keep({ id, doomed, faults, awaited }: Job, { outcome, file }: Done): Promise<void> {
    const { database, files } = this.#parts;
    return database.insist((tx) => {
      if (file) files.keep(tx, file);
      // It may have been told meanwhile to succeed: then it waits in the queue to be rendered.
      const isSaved = doomed !== null && findJob(tx, id)?.doomed === null;
      if (!isSaved) keepOutcome(tx, id, outcome);
      const { crashHook } = this.settlement;
      if (crashHook && faults?.crash === 'after_work' && clearCrash(tx, id)) tx.onCommit(crashHook);
      else if (awaited) this.settlement.settleWithin(tx, id);
    });
  }

  async #outcome(job: Job, hold: Hold, signal: AbortSignal): Promise<Done> {
    if (job.doomed) return { outcome: { error: askedError(job.doomed) } };
    try {
      if (job.render.kind === 'given') return givenDone(job.render, hold);
      const { request, name } = placed(this.#parts, job.render);
      const options = { signal, owner: job.accountId };
      const file = hold.find(name) ?? (await this.#render(request, name, hold, options));
      return { file, outcome: finished(file) };
    } catch (error) {
      if (signal.aborted) throw error;
      return { outcome: { error: renderError(asDiskError(error)) } };
    }
  }

  async #render(request: RenderRequest, name: string, hold: Hold, options: RenderOptions): Promise<KeptFile> {
    const others = this.#underWay.get(name);
    await others;
    const made = others && hold.find(name);
    if (made) return made;
    const { renderer, files } = this.#parts;
    const scratch = files.orderedPath();
    const work = renderer.render(request, scratch, options);
    const done = work.then(ignore, ignore);
    this.#underWay.set(name, done);
    try {
      const { bytes, contentType, seconds } = await work;
      await hold.place(scratch, name);
      return { name, origin: 'render', bytes, contentType, seconds };
    } finally {
      if (this.#underWay.get(name) === done) this.#underWay.delete(name);
    }
  }
}

/** A given file is there already; it is held until something refers to it. */
function givenDone(given: GivenFile, hold: Hold): Done {
  const { kind: _, ...outcome } = given;
  const { file: name, bytes, contentType, seconds } = outcome;
  if (!hold.find(name)) throw new EmulatorError('render_failed', GIVEN_FILE_GONE);
  return { outcome, file: { name, origin: 'upload', bytes, contentType, seconds } };
}

const GIVEN_FILE_GONE =
  'The file of the scripted answer is missing from the data folder, and the charge was refunded. Make the fixture again.';

/** What fails here is told to others: a render to those who ordered it, a full disk to whoever asks next. */
function ignore(): void {}
