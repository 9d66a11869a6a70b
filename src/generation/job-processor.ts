import { type Clock, pause } from '../clock/clock.ts';
import type { Config } from '../config/config.ts';
import type { Database } from '../database/database.ts';
import type { Transaction } from '../database/transaction.ts';
import { EmulatorError } from '../errors.ts';
import {
  askedError,
  type FinishedFile,
  INTERRUPTED,
  type Job,
  type NewJob,
  type Outcome,
  renderError,
} from '../jobs/job.ts';
import { JobQueue } from '../jobs/job-queue.ts';
import { clearCrash, findJob, keepOutcome, moveJob, openJobs, releaseJob } from '../jobs/job-store.ts';
import type { Settlement } from '../jobs/settlement.ts';
import { awaitFinal, SettlementScheduler } from '../jobs/settlement-scheduler.ts';
import { withPicturesAt } from '../library/library.ts';
import type { GivenFile, Renderer, RenderOptions, RenderRequest } from '../render/render-request.ts';
import { asDiskError } from '../storage/disk-error.ts';
import type { KeptFile } from '../storage/file-store.ts';
import type { Files, Hold } from '../storage/files.ts';
import type { UnansweredCalls } from './unanswered-store.ts';

export interface ProcessorParts {
  database: Database;
  clock: Clock;
  files: Files;
  renderer: Renderer;
  settlement: Settlement;
  unanswered: UnansweredCalls;
  mediaSize: Config['mediaSize'];
  limits: {
    /** Milliseconds of real time after which a finished render that no client reads is settled. */
    settleAfter: number;
    /** How many renders are under way at once. */
    atOnce: number;
  };
}

/** The outcome of the work, and the file that it made or found. */
interface Done {
  outcome: Outcome;
  file?: KeptFile;
}

/** After how long an outcome that could not be stored is written again, in milliseconds of real time. */
const RETRY_AFTER = 1000;

/** Renders the jobs of the queue, or finds the same render again, and stores their outcomes to be settled. */
export class JobProcessor {
  readonly queue: JobQueue;
  readonly scheduler: SettlementScheduler;
  readonly settlement: Settlement;
  readonly mediaSize: Config['mediaSize'];
  readonly #parts: ProcessorParts;
  /** Renders under way by fingerprint: two jobs for the same bytes render once. */
  readonly #underWay = new Map<string, Promise<void>>();

  constructor(parts: ProcessorParts) {
    const { database, clock, settlement, limits } = parts;
    this.#parts = parts;
    this.settlement = settlement;
    this.mediaSize = parts.mediaSize;
    this.queue = new JobQueue({
      database,
      clock,
      limit: limits.atOnce,
      work: (job, signal) => this.#work(job, signal),
      onRefused: (jobId, failure) => settlement.refuse(jobId, failure),
    });
    const { settleAfter } = limits;
    this.scheduler = new SettlementScheduler({ database, clock, settlement, settleAfter, queue: this.queue });
  }

  /**
   * Resumes what the last run left. A job whose call can no longer be answered fails and is refunded, even if it was
   * rendered and only delayed; of the others, those without an outcome are queued again.
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
    this.queue.open();
  }

  /** Cuts off what is under way, and rejects all waits. */
  async rest(): Promise<void> {
    await this.queue.close();
    this.scheduler.rest();
  }

  /** The end of a job that an open call waits for; see `awaitFinal` of `jobs/settlement-scheduler.ts`. */
  awaitFinal(jobId: string, gone: AbortSignal): Promise<Job> {
    const { database, clock, unanswered } = this.#parts;
    const isStopping = () => unanswered.isStopping;
    return awaitFinal({ database, clock, processor: this }, jobId, { gone, isStopping });
  }

  /** Writes a new job; it is final at once if its file is cached and its progression allows it. */
  takeOn(tx: Transaction, job: NewJob): Job {
    return this.settlement.record(tx, this.#withCached(tx, job));
  }

  /** A job whose file was rendered before gets its outcome without a place in the queue; others stay as they are. */
  #withCached(tx: Transaction, job: NewJob): NewJob {
    if (job.doomed !== null || job.faults !== null || job.render.kind === 'given') return job;
    const { name } = this.#placed(job.render);
    const { files } = this.#parts;
    const file = files.known(tx, name);
    if (!file) return job;
    files.touch(name);
    return { ...job, outcome: finished(file) };
  }

  /** The request with its pictures at their present paths, and the name of the file that it makes. */
  #placed(render: RenderRequest): { request: RenderRequest; name: string } {
    const { files, renderer } = this.#parts;
    const request = withPicturesAt(render, (name) => files.path(name));
    return { request, name: renderer.fingerprint(request) };
  }

  async #work(job: Job, signal: AbortSignal): Promise<void> {
    await this.#parts.files.holding(async (hold) => {
      const done = await this.#outcome(job, hold, signal);
      await this.#keepUntilStored(job, done, signal);
      await this.scheduler.plan(job.id);
    });
  }

  /** Tries again while a full disk refuses the outcome. */
  async #keepUntilStored(job: Job, done: Done, signal: AbortSignal): Promise<void> {
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
   * Stores the outcome of the work. A job that a call waits for is settled in the same transaction, if its progression
   * allows it; the scheduler settles all others.
   */
  #keep({ id, doomed, faults, awaited }: Job, { outcome, file }: Done): Promise<void> {
    const { database, files } = this.#parts;
    return database.insist((tx) => {
      if (file) files.keep(tx, file);
      // If it was made to succeed meanwhile, it is in the queue again to be rendered.
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
      const { request, name } = this.#placed(job.render);
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

/** A given file exists already; it is held until something refers to it. */
function givenDone(given: GivenFile, hold: Hold): Done {
  const { kind: _, ...outcome } = given;
  const { file: name, bytes, contentType, seconds } = outcome;
  if (!hold.find(name)) throw new EmulatorError('render_failed', GIVEN_FILE_GONE);
  return { outcome, file: { name, origin: 'upload', bytes, contentType, seconds } };
}

const GIVEN_FILE_GONE =
  'The file of the scripted answer is missing from the data folder, and the charge was refunded. Make the fixture again.';

function finished({ name, bytes, contentType, seconds }: KeptFile): FinishedFile {
  return { file: name, bytes, contentType, ...(seconds == null ? {} : { seconds }) };
}

/** Jobs that wait for the same render only wait; the job that ordered the render handles its failure. */
function ignore(): void {}
