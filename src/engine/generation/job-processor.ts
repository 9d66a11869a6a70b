import type { Clock } from '../../base/clock/clock.ts';
import { pause } from '../../base/clock/waits.ts';
import type { Config } from '../../base/config/config.ts';
import type { Database } from '../../base/database/database.ts';
import type { Transaction } from '../../base/database/transaction.ts';
import { asDiskError, EmulatorError } from '../../base/errors.ts';
import type { GivenFile, Renderer, RenderOptions, RenderRequest } from '../../media/render-request.ts';
import {
  askedError,
  type FinishedFile,
  INTERRUPTED,
  type Job,
  type NewJob,
  type Outcome,
  renderError,
} from '../jobs/job.ts';
import {
  clearCrash,
  findJob,
  keepOutcome,
  moveJob,
  nextQueued,
  openJobs,
  ownersOfQueued,
  releaseJob,
} from '../jobs/job-store.ts';
import { Settlement, type SettlementParts } from '../jobs/settlement.ts';
import { withPicturesAt } from '../library/library-store.ts';
import type { KeptFile } from '../storage/file-store.ts';
import type { FilePins, Files } from '../storage/files.ts';
import { type QueueItem, type Task, WorkQueue } from '../work-queue.ts';
import type { UnansweredCalls } from './unanswered-store.ts';

export interface ProcessorParts extends Pick<SettlementParts, 'crashHook' | 'end'> {
  database: Database;
  clock: Clock;
  files: Files;
  renderer: Renderer;
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

/**
 * Processes queued jobs: renders the file of each, or finds that it was rendered before, and stores the outcome, which
 * `Settlement` makes final. Jobs that an open call waits for go first. The next start resumes what a stop cut off.
 */
export class JobProcessor {
  /** Queued jobs, by account. Wake an account after one of its jobs was queued. */
  readonly queue: WorkQueue<QueueItem>;
  readonly settlement: Settlement;
  readonly mediaSize: Config['mediaSize'];
  readonly #parts: ProcessorParts;
  /** Renders under way, by the name of their file: two jobs with the same file render once. */
  readonly #underWay = new Map<string, Promise<void>>();

  constructor(parts: ProcessorParts) {
    const { database, clock, limits, unanswered } = parts;
    this.#parts = parts;
    this.mediaSize = parts.mediaSize;
    this.queue = new WorkQueue({
      clock,
      limits: { all: limits.atOnce },
      priorities: 2,
      owners: () => ownersOfQueued(database),
      next: (owner, except, priority) => nextQueued(database, owner, { except, isAwaited: priority === 0 }),
      work: (task) => this.#start(task),
    });
    this.settlement = new Settlement({
      ...parts,
      settleAfter: limits.settleAfter,
      workEnded: (job) => this.workEnded(job),
      isStopping: () => unanswered.isStopping,
    });
  }

  /**
   * Resumes what the last run left. A job whose call can no longer be answered fails and is refunded, even if it was
   * rendered and only delayed; of the others, those without an outcome are queued again.
   */
  async wake(): Promise<void> {
    await this.#parts.database.transactOrRetry((tx) => {
      for (const job of openJobs(tx)) {
        if (job.awaited && !job.ofRun) {
          keepOutcome(tx, job.id, { error: INTERRUPTED });
          releaseJob(tx, job.id);
        } else if (!job.outcome && job.status === 'processing') moveJob(tx, job, 'queued');
      }
    });
    await this.settlement.replan();
    this.queue.open();
  }

  /** A stop or a reset: cuts off what is under way, and rejects all waits. */
  async rest(): Promise<void> {
    const closed = this.queue.close();
    this.queue.cut(new Error('the emulator is stopping'));
    await closed;
    this.settlement.cancelPlans();
  }

  /** Starts a job while its order is still being committed; call it in the tick in which the job is written. */
  start({ id, accountId }: Pick<Job, 'id' | 'accountId'>): void {
    this.queue.start({ id, owner: accountId });
  }

  /**
   * Resolves once the work on a job is over, or put off until the next start; undefined when no work on it is under way
   * or will be. Call it in the tick in which the job was read.
   */
  workEnded({ id, status }: Pick<Job, 'id' | 'status'>, signal?: AbortSignal): Promise<void> | undefined {
    const isWaiting = status === 'queued' && this.queue.isOpen;
    return isWaiting || this.queue.isUnderWay(id) ? this.queue.ended(id, signal) : undefined;
  }

  /** Writes a new job. It is final at once if its file was rendered before and its progression allows it. */
  record(tx: Transaction, job: NewJob): Job {
    return this.settlement.record(tx, this.#withCached(tx, job));
  }

  /** A job whose file was rendered before gets its outcome now, without being queued; others stay as they are. */
  #withCached(tx: Transaction, job: NewJob): NewJob {
    if (job.failWith !== null || job.faults !== null || job.render.kind === 'given') return job;
    const { name } = this.#resolved(job.render);
    const { files } = this.#parts;
    const file = files.known(tx, name);
    if (!file) return job;
    files.touch(name);
    return { ...job, outcome: finished(file) };
  }

  /** The request with the present paths of its pictures, and the name of the file that it makes (a hash of it). */
  #resolved(render: RenderRequest): { request: RenderRequest; name: string } {
    const { files, renderer } = this.#parts;
    const request = withPicturesAt(render, (name) => files.path(name));
    return { request, name: renderer.fingerprint(request) };
  }

  /** The work starts while the move to `processing` is being committed. */
  async #start({ item, signal }: Task<QueueItem>): Promise<void> {
    const { database } = this.#parts;
    const taken: { job?: Job } = {};
    const cut = new AbortController();
    const moved = database.transact((tx) => {
      const job = findJob(tx, item.id);
      if (job?.status !== 'queued') return;
      moveJob(tx, job, 'processing');
      taken.job = job;
    });
    const kept = moved.catch((reason: unknown) => cut.abort(reason));
    await Promise.allSettled([kept, taken.job && this.#work(taken.job, AbortSignal.any([signal, cut.signal]))]);
    await moved.catch((error: unknown) => {
      // Such as a full disk. The queue tries again.
      this.settlement.refuse(item.id, error);
      throw error;
    });
  }

  /** Rejects when the work was cut off. */
  async #work(job: Job, signal: AbortSignal): Promise<void> {
    await this.#parts.files.withPins(async (pins) => {
      const done = await this.#outcome(job, pins, signal);
      await this.#storeInTheEnd(job, done, signal);
      await this.settlement.plan(job.id);
    });
  }

  /** Tries again while a full disk refuses the outcome. */
  async #storeInTheEnd(job: Job, done: Done, signal: AbortSignal): Promise<void> {
    for (;;) {
      try {
        return await this.#store(job, done);
      } catch (error) {
        this.settlement.refuse(job.id, error);
        await pause(this.#parts.clock, RETRY_AFTER, signal);
      }
    }
  }

  /**
   * Stores the outcome of the work. A job that a call waits for is settled in the same transaction, if its progression
   * allows it; all others are planned.
   */
  #store({ id, failWith, faults, awaited }: Job, { outcome, file }: Done): Promise<void> {
    const { database, files } = this.#parts;
    return database.transactOrRetry((tx) => {
      if (file) files.keep(tx, file);
      // A job that was to fail and has been made to succeed meanwhile is queued again, to be rendered.
      const isQueuedAgain = failWith !== null && findJob(tx, id)?.failWith === null;
      if (!isQueuedAgain) keepOutcome(tx, id, outcome);
      const { crashHook } = this.settlement;
      if (crashHook && faults?.crash === 'after_work' && clearCrash(tx, id)) tx.onCommit(crashHook);
      else if (awaited) this.settlement.settleWithin(tx, id);
    });
  }

  async #outcome(job: Job, pins: FilePins, signal: AbortSignal): Promise<Done> {
    if (job.failWith) return { outcome: { error: askedError(job.failWith) } };
    try {
      if (job.render.kind === 'given') return doneWithFile(job.render, pins);
      const { request, name } = this.#resolved(job.render);
      const options = { signal, owner: job.accountId };
      const file = pins.find(name) ?? (await this.#render(request, name, pins, options));
      return { file, outcome: finished(file) };
    } catch (error) {
      if (signal.aborted) throw error;
      return { outcome: { error: renderError(asDiskError(error)) } };
    }
  }

  async #render(request: RenderRequest, name: string, pins: FilePins, options: RenderOptions): Promise<KeptFile> {
    const others = this.#underWay.get(name);
    await others;
    const made = others && pins.find(name);
    if (made) return made;
    const { renderer, files } = this.#parts;
    const scratch = files.scratchPath();
    const work = renderer.render(request, scratch, options);
    const done = work.then(ignore, ignore);
    this.#underWay.set(name, done);
    try {
      const { bytes, contentType, seconds } = await work;
      await pins.place(scratch, name);
      return { name, origin: 'render', bytes, contentType, seconds };
    } finally {
      if (this.#underWay.get(name) === done) this.#underWay.delete(name);
    }
  }
}

/** A given file exists already; it is pinned until something refers to it. */
function doneWithFile(given: GivenFile, pins: FilePins): Done {
  const { kind: _, ...outcome } = given;
  const { file: name, bytes, contentType, seconds } = outcome;
  if (!pins.find(name)) throw new EmulatorError('render_failed', GIVEN_FILE_GONE);
  return { outcome, file: { name, origin: 'upload', bytes, contentType, seconds } };
}

const GIVEN_FILE_GONE =
  'The file of the scripted answer is missing from the data folder, and the charge was refunded. Make the fixture again.';

function finished({ name, bytes, contentType, seconds }: KeptFile): FinishedFile {
  return { file: name, bytes, contentType, ...(seconds == null ? {} : { seconds }) };
}

/** Jobs that wait for the same render only wait; the job that ordered the render handles its failure. */
function ignore(): void {}
