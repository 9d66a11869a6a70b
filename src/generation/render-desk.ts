import type { Clock } from '../clock/clock.ts';
import type { Database } from '../database/database.ts';
import { EmulatorError } from '../errors.ts';
import type { Die } from '../faults/struck.ts';
import type { Job, JobError, Outcome } from '../jobs/job.ts';
import { JobRunner } from '../jobs/job-runner.ts';
import { clearCrash, keepOutcome, moveJob, openJobs } from '../jobs/job-store.ts';
import { withPicturesAt } from '../library/render-pictures.ts';
import type { GivenFile, Renderer, RenderRequest } from '../render/render-request.ts';
import type { KeptFile } from '../storage/file-store.ts';
import type { Files, Hold } from '../storage/files.ts';
import type { Settlement } from './settlement.ts';

export interface DeskParts {
  database: Database;
  clock: Clock;
  files: Files;
  renderer: Renderer;
  settlement: Settlement;
  /** How many renders are under way at once. */
  limit: number;
  /** Ends the process at a job's crash point; undefined where none would start it again. */
  die: Die | undefined;
}

/** What the work came to, and the file that it made or found. */
interface Done {
  outcome: Outcome;
  file?: KeptFile;
}

/** After how long an outcome that could not be kept is written again, in milliseconds of real time. */
const RETRY_AFTER = 1000;

/** Where jobs become files: takes them off the queue, renders (or finds the same render again) and hands the outcome on. */
export class RenderDesk {
  readonly runner: JobRunner;
  readonly settlement: Settlement;
  readonly die: Die | undefined;
  readonly #parts: DeskParts;
  /** Renders under way by fingerprint: two jobs for the same bytes render once. */
  readonly #underWay = new Map<string, Promise<void>>();

  constructor(parts: DeskParts) {
    this.#parts = parts;
    this.settlement = parts.settlement;
    this.die = parts.die;
    this.runner = new JobRunner({
      database: parts.database,
      limit: parts.limit,
      work: (job, signal) => this.#work(job, signal),
    });
  }

  /** Takes up what the last run left: what nobody waits for any more fails and is refunded, the rest is queued again. */
  async resume(): Promise<void> {
    const { database, settlement } = this.#parts;
    await database.transact((tx) => {
      for (const job of openJobs(tx)) {
        if (job.outcome) continue;
        if (job.awaited) keepOutcome(tx, job.id, { error: INTERRUPTED });
        else if (job.status === 'processing') moveJob(tx, job, 'queued');
      }
    });
    const kept = openJobs(database).filter((job) => job.outcome);
    await Promise.all(kept.map((job) => settlement.expect(job)));
    this.runner.wake();
  }

  async #work(job: Job, signal: AbortSignal): Promise<void> {
    const { files, settlement } = this.#parts;
    await files.holding(async (hold) => {
      const done = await this.#outcome(job, hold, signal);
      while (!(await this.#keep(job, done))) await this.#pause(signal);
      await settlement.expect(job);
    });
  }

  /** Answers whether it could be kept: what a full disk refuses now it may take later. */
  #keep(job: Job, { outcome, file }: Done): Promise<boolean> {
    const { database, files } = this.#parts;
    const kept = database.transact((tx) => {
      if (file) files.keep(tx, file);
      keepOutcome(tx, job.id, outcome);
      if (this.die && job.faults?.crash === 'after_work' && clearCrash(tx, job.id))
        tx.onCommit(this.die);
      return true;
    });
    return kept.catch(() => false);
  }

  #pause(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    return new Promise((resolve, reject) => {
      const cancel = this.#parts.clock.after(RETRY_AFTER, resolve);
      signal.addEventListener('abort', () => {
        cancel();
        reject(signal.reason);
      });
    });
  }

  async #outcome(job: Job, hold: Hold, signal: AbortSignal): Promise<Done> {
    if (job.doomed)
      return { outcome: { error: { code: job.doomed, message: doomText(job.doomed) } } };
    try {
      if (job.render.kind === 'given') return await givenDone(job.render, hold);
      const request = withPicturesAt(job.render, (name) => this.#parts.files.path(name));
      const name = this.#parts.renderer.fingerprint(request);
      const file = (await hold.find(name)) ?? (await this.#render(request, name, hold, signal));
      const { bytes, contentType, seconds } = file;
      return {
        file,
        outcome: { file: name, bytes, contentType, ...(seconds == null ? {} : { seconds }) },
      };
    } catch (error) {
      if (signal.aborted) throw error;
      return { outcome: { error: jobError(error) } };
    }
  }

  async #render(
    request: RenderRequest,
    name: string,
    hold: Hold,
    signal: AbortSignal,
  ): Promise<KeptFile> {
    const others = this.#underWay.get(name);
    await others;
    const made = others && (await hold.find(name));
    if (made) return made;
    const { renderer, files } = this.#parts;
    const scratch = files.scratchPath();
    const work = renderer.render(request, scratch, { signal });
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
async function givenDone(given: GivenFile, hold: Hold): Promise<Done> {
  const { kind: _, ...outcome } = given;
  const { file: name, bytes, contentType, seconds } = outcome;
  if (!(await hold.find(name))) throw new EmulatorError('render_failed', GIVEN_FILE_GONE);
  return { outcome, file: { name, origin: 'upload', bytes, contentType, seconds } };
}

const GIVEN_FILE_GONE =
  'The file of the scripted answer is missing from the data folder, and the charge was refunded. Make the fixture again.';

/** Whoever waits for another's render only looks again; that it failed is told to those who ordered it. */
function ignore(): void {}

const INTERRUPTED: JobError = {
  code: 'render_failed',
  message:
    'The emulator stopped while this call was waiting; the charge was refunded. Send the request again.',
};

function jobError(error: unknown): JobError {
  if (error instanceof EmulatorError) return { code: error.code, message: error.message };
  return {
    code: 'render_failed',
    message: 'The render failed and its charge was refunded; send the request again.',
  };
}

function doomText(code: string): string {
  return code === 'content_blocked'
    ? "The engine's provider refused the prompt by its content policy; the charge was refunded. Change the prompt."
    : `The render failed with ${code}, as was asked for; the charge was refunded.`;
}
