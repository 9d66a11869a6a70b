import type { Transaction } from '../../base/database/transaction.ts';
import { asDiskError, EmulatorError } from '../../base/errors.ts';
import type { GivenFile, Renderer, RenderOptions, RenderRequest } from '../../media/render-request.ts';
import {
  type FinalStatus,
  type FinishedFile,
  type Job,
  type JobError,
  type JobOutcome,
  type JobResult,
  type Medium,
  type NewJob,
  requireMove,
} from '../jobs/job.ts';
import { askedError, renderError } from '../jobs/job-ends.ts';
import type { JobEnd, WorkDone, WriteEnd } from '../jobs/job-transitions.ts';
import type { JobWork } from '../jobs/jobs.ts';
import { addEntry, entryIdOf, entryName, entryUrl, withPicturesAt } from '../library/library-store.ts';
import type { KeptFile } from '../storage/file-store.ts';
import type { FilePins, Files } from '../storage/files.ts';
import type { Objects } from '../storage/objects.ts';
import { EVENT_TYPES, type ServiceEventType } from '../webhooks/event-schemas.ts';
import type { Webhooks } from '../webhooks/webhooks.ts';
import type { Charges } from './pipeline.ts';

export class JobRenders implements JobWork {
  readonly #files: Files;
  readonly #renderer: Renderer;
  /** By file name: two jobs with the same file render once. */
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
      await store({ outcome, write: (tx) => file && this.#files.register(tx, file) });
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

  /** The name of the file is a hash of the request. */
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

/** The file exists already, and is pinned until something refers to it. */
function given(render: GivenFile, pins: FilePins): { outcome: JobOutcome; file: KeptFile } {
  const { kind: _, ...outcome } = render;
  const { file: name, bytes, contentType, seconds } = outcome;
  if (!pins.find(name)) throw new EmulatorError('render_failed', GIVEN_FILE_GONE);
  return { outcome, file: { name, origin: 'upload', bytes, contentType, seconds } };
}

const GIVEN_FILE_GONE =
  'The file of the scripted answer is missing from the data folder, and the charge was refunded. Create the scripted answer again.';

function finished({ name, bytes, contentType, seconds }: KeptFile): FinishedFile {
  return { file: name, bytes, contentType, ...(seconds == null ? {} : { seconds }) };
}

/** The job that ordered the render handles its failure. */
function ignore(): void {}

interface FinalParts {
  charges: Charges;
  objects: Objects;
  webhooks: Webhooks;
}

/** Writes the status, the library entry or the refund, and the event in one transaction. */
export function jobEnd(parts: FinalParts): WriteEnd {
  return (tx, ending) => makeFinal(parts, tx, ending);
}

function makeFinal<Open extends NewJob>(parts: FinalParts, tx: Transaction, ending: JobEnd<Open>): Job {
  const { outcome } = ending;
  const final = 'error' in outcome ? fail(parts, tx, ending, outcome.error) : succeed(parts, tx, ending, outcome);
  const { workspaceId, accountId, id, requestId, faults } = final;
  const event = eventOf(final);
  if (event) parts.webhooks.events.publish(tx, { ...event, workspaceId, accountId, jobId: id, requestId, faults });
  return final;
}

function fail<Open extends NewJob>(parts: FinalParts, tx: Transaction, ending: JobEnd<Open>, error: JobError): Job {
  const { accountId, charge: n } = ending.job;
  const { code, message } = error;
  parts.charges.refund(tx, { accountId, n }, ending.job);
  return writeFinal(tx, ending, { status: 'failed', result: { error: { code, message } } });
}

function succeed<Open extends NewJob>(
  parts: FinalParts,
  tx: Transaction,
  ending: JobEnd<Open>,
  { file, bytes, contentType, seconds }: FinishedFile,
): Job {
  const { objects } = parts;
  const { accountId, id, medium, store, baseUrl, charge: n, take } = ending.job;
  parts.charges.keep(tx, { accountId, n }, take);
  const name = entryName({ id, contentType });
  const object = store ? objects.create(tx, { accountId, name, file, bytes, contentType }) : null;
  const entry = { id: entryIdOf(id), contentType, object };
  const result = {
    result_url: baseUrl + entryUrl(tx, entry, tx.now),
    content_type: contentType,
    library_id: entry.id,
    ...(medium === 'music' ? { duration: seconds } : {}),
  };
  const final = writeFinal(tx, ending, { status: 'succeeded', result });
  addEntry(tx, { job: final, file: { name: file, bytes, contentType, seconds }, objectId: object?.id });
  return final;
}

function writeFinal<Open extends NewJob>(
  tx: Transaction,
  { job, outcome, write }: JobEnd<Open>,
  end: { status: FinalStatus; result: JobResult },
): Job {
  requireMove(job.status, end.status);
  return write({ ...job, ...end, outcome, started: job.started ?? tx.now, completed: tx.now });
}

/** Undefined for media without events. */
function eventOf(job: Job): { type: ServiceEventType; data: Record<string, unknown> } | undefined {
  const { medium, result } = job;
  if (!hasEvents(medium) || !result) return undefined;
  const take = medium === 'music' ? { take: job.take, seed: job.seed } : {};
  if ('error' in result) {
    const data = { id: job.id, model: job.model, ...take, error: result.error };
    return { type: `${medium}.generation.failed`, data };
  }
  const { content_type, result_url, library_id } = result;
  const data = { id: job.id, model: job.model, ...take, content_type, result_url, library_id };
  return { type: `${medium}.generation.succeeded`, data };
}

type EventMedium = ServiceEventType extends infer Type
  ? Type extends `${infer Of extends Medium}.generation.${string}`
    ? Of
    : never
  : never;

function hasEvents(medium: Medium): medium is EventMedium {
  return EVENT_TYPES.some((type) => type === `${medium}.generation.succeeded`);
}
