import type { Transaction } from '../../base/database/transaction.ts';
import { asDiskError, EmulatorError } from '../../base/errors.ts';
import type { GivenFile, Renderer, RenderOptions, RenderRequest } from '../../media/render-request.ts';
import { askedError, type FinishedFile, type Job, type JobOutcome, type NewJob, renderError } from '../jobs/job.ts';
import type { WorkDone } from '../jobs/job-transitions.ts';
import type { JobWork } from '../jobs/jobs.ts';
import { withPicturesAt } from '../library/library-store.ts';
import type { KeptFile } from '../storage/file-store.ts';
import type { FilePins, Files } from '../storage/files.ts';

/** The work of jobs: renders the file of each, or finds that it was rendered before. */
export class JobRenders implements JobWork {
  readonly #files: Files;
  readonly #renderer: Renderer;
  /** Renders in progress, by the name of their file: two jobs with the same file render once. */
  readonly #inProgress = new Map<string, Promise<void>>();

  constructor(parts: { files: Files; renderer: Renderer }) {
    this.#files = parts.files;
    this.#renderer = parts.renderer;
  }

  known(tx: Transaction, job: NewJob): JobOutcome | undefined {
    if (job.failWith !== null || job.faults !== null || job.render.kind === 'given') return undefined;
    const { name } = this.#resolved(job.render);
    const file = this.#files.known(tx, name);
    if (!file) return undefined;
    this.#files.touch(name);
    return finished(file);
  }

  /** The file is pinned until the outcome is stored. */
  async run(job: Job, signal: AbortSignal, store: (done: WorkDone) => Promise<void>): Promise<void> {
    await this.#files.withPins(async (pins) => {
      const { outcome, file } = await this.#outcome(job, pins, signal);
      await store({ outcome, write: (tx) => file && this.#files.keep(tx, file) });
    });
  }

  async #outcome(job: Job, pins: FilePins, signal: AbortSignal): Promise<{ outcome: JobOutcome; file?: KeptFile }> {
    if (job.failWith) return { outcome: { error: askedError(job.failWith) } };
    try {
      if (job.render.kind === 'given') return given(job.render, pins);
      const { request, name } = this.#resolved(job.render);
      const options = { signal, owner: job.accountId };
      const file = pins.find(name) ?? (await this.#render(request, name, pins, options));
      return { file, outcome: finished(file) };
    } catch (error) {
      if (signal.aborted) throw error;
      return { outcome: { error: renderError(asDiskError(error)) } };
    }
  }

  /** The request with the present paths of its pictures, and the name of the file that it makes (a hash of it). */
  #resolved(render: RenderRequest): { request: RenderRequest; name: string } {
    const request = withPicturesAt(render, (name) => this.#files.path(name));
    return { request, name: this.#renderer.fingerprint(request) };
  }

  async #render(request: RenderRequest, name: string, pins: FilePins, options: RenderOptions): Promise<KeptFile> {
    const others = this.#inProgress.get(name);
    await others;
    const made = others && pins.find(name);
    if (made) return made;
    const scratch = this.#files.scratchPath();
    const work = this.#renderer.render(request, scratch, options);
    const done = work.then(ignore, ignore);
    this.#inProgress.set(name, done);
    try {
      const { bytes, contentType, seconds } = await work;
      await pins.place(scratch, name);
      return { name, origin: 'render', bytes, contentType, seconds };
    } finally {
      if (this.#inProgress.get(name) === done) this.#inProgress.delete(name);
    }
  }
}

/** The file of a scripted answer exists already; it is pinned until something refers to it. */
function given(render: GivenFile, pins: FilePins): { outcome: JobOutcome; file: KeptFile } {
  const { kind: _, ...outcome } = render;
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
