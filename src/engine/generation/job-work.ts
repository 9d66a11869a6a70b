import type { Transaction } from '../../base/database/transaction.ts';
import { EmulatorError, translateDiskError } from '../../base/errors.ts';
import type { Random } from '../../base/random.ts';
import type { Renderer, RenderRequest, ScriptedMediaFile, StoredFile } from '../../media/render-request.ts';
import { withPicturePaths } from '../../media/request-measures.ts';
import type { JobEndResult, JobWork } from '../jobs/job-state-machine.ts';
import {
  type Job,
  type JobError,
  type JobOutcome,
  type JobResult,
  type MediaKind,
  type NewJob,
  requestedJobError,
  toJobError,
} from '../jobs/job-store.ts';
import { refund } from '../ledger/ledger.ts';
import { addLibraryEntry, libraryEntryIdOfJob, libraryFileName, relativeFileUrl } from '../library/library-store.ts';
import { findRequestIdOfJob } from '../orders/order-store.ts';
import type { FilePins, Files } from '../storage/files.ts';
import { addObject } from '../storage/object-store.ts';
import { EVENT_TYPES, type ServiceEventType } from '../webhooks/event-schemas.ts';
import type { Webhooks } from '../webhooks/webhooks.ts';

interface WorkParts {
  files: Files;
  renderer: Renderer;
  random: Random;
  webhooks: Webhooks;
}

export class PaidJobWork implements JobWork {
  readonly #parts: WorkParts;

  constructor(parts: WorkParts) {
    this.#parts = parts;
  }

  outcomeOnDisk(tx: Transaction, job: NewJob): JobOutcome | undefined {
    if (job.failWith !== null || job.faults !== null || job.render.kind === 'given') return undefined;
    const { name } = this.#resolved(job.render);
    const file = this.#parts.files.findOnDisk(tx, name);
    if (!file) return undefined;
    this.#parts.files.touch(name);
    return { file: fileOf(file) };
  }

  /** Renders the file of a job, or finds it. The file is pinned until the outcome is stored. */
  async render(job: Job, signal: AbortSignal, store: (outcome: JobOutcome) => Promise<void>): Promise<void> {
    await this.#parts.files.withPins(async (pins) => store(await this.#outcome(job, pins, signal)));
  }

  registerFile(tx: Transaction, { render }: Job, outcome: JobOutcome): void {
    if ('file' in outcome) this.#parts.files.register(tx, outcome.file, render.kind === 'given' ? 'upload' : 'render');
  }

  async #outcome(job: Job, pins: FilePins, signal: AbortSignal): Promise<JobOutcome> {
    if (job.failWith) return { error: requestedJobError(job.failWith) };
    try {
      if (job.render.kind === 'given') return { file: requireGiven(job.render, pins) };
      const { request, name } = this.#resolved(job.render);
      const known = pins.find(name);
      if (known) return { file: fileOf(known) };
      const options = { signal, owner: job.accountId };
      const rendered = await pins.make(name, (scratch) => this.#parts.renderer.render(request, scratch, options));
      return { file: { name, ...rendered } };
    } catch (error) {
      if (signal.aborted) throw error;
      return { error: toJobError(translateDiskError(error)) };
    }
  }

  #resolved(render: RenderRequest): { request: RenderRequest; name: string } {
    const request = withPicturePaths(render, (name) => this.#parts.files.path(name));
    return { request, name: this.#parts.renderer.fingerprint(request) };
  }

  refund(tx: Transaction, { accountId, charge: n }: NewJob | Job, { code, message }: JobError): JobEndResult {
    refund(tx, this.#parts.random, { accountId, n });
    return { result: { error: { code, message } }, objectId: null };
  }

  /**
   * Stores the file if the order asks for it, and builds the result of the job. The library entry refers to the row of
   * the job, so `announce` adds the entry after the row is written.
   */
  handOver(tx: Transaction, job: NewJob | Job, stored: StoredFile): JobEndResult {
    const { name: file, bytes, contentType, seconds } = stored;
    const { accountId, id, medium, store, baseUrl } = job;
    const name = libraryFileName({ id, contentType });
    const added = { accountId, name, file, bytes, contentType };
    const object = store ? addObject(tx, this.#parts.random, added) : null;
    const entry = { id: libraryEntryIdOfJob(id), contentType, object };
    const result = {
      result_url: baseUrl + relativeFileUrl(tx, entry, tx.now),
      content_type: contentType,
      library_id: entry.id,
      ...(medium === 'music' ? { duration: seconds } : {}),
    };
    return { result: result as JobResult, objectId: object?.id ?? null };
  }

  announce(tx: Transaction, final: Job, objectId: string | null): void {
    const { workspaceId, accountId, id, faults, outcome } = final;
    if (outcome && 'file' in outcome) {
      addLibraryEntry(tx, { job: final, file: outcome.file, objectId: objectId ?? undefined });
    }
    const event = eventOf(final);
    if (!event) return;
    const requestId = findRequestIdOfJob(tx, final);
    this.#parts.webhooks.publish(tx, { ...event, workspaceId, accountId, jobId: id, requestId, faults });
  }
}

function requireGiven(given: ScriptedMediaFile, pins: FilePins): StoredFile {
  const found = pins.find(given.name);
  if (!found) throw new EmulatorError('render_failed', GIVEN_FILE_GONE);
  return fileOf(given);
}

const GIVEN_FILE_GONE =
  'The file of the scripted answer is missing from the data folder, and the charge was refunded. Create the scripted answer again.';

function fileOf({ name, bytes, contentType, seconds }: StoredFile): StoredFile {
  return { name, bytes, contentType, seconds };
}

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

/** The media whose jobs send events when they end: all but speech. */
type EventMedium = ServiceEventType extends infer Type
  ? Type extends `${infer Of extends MediaKind}.generation.${string}`
    ? Of
    : never
  : never;

function hasEvents(medium: MediaKind): medium is EventMedium {
  return EVENT_TYPES.some((type) => type === `${medium}.generation.succeeded`);
}
