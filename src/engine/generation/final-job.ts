import type { Transaction } from '../../base/database/transaction.ts';
import {
  type FinalStatus,
  type FinishedFile,
  type Job,
  type JobError,
  type JobResult,
  type Medium,
  type NewJob,
  requireMove,
} from '../jobs/job.ts';
import type { JobEnd, WriteEnd } from '../jobs/job-transitions.ts';
import { addEntry, entryIdOf, entryName, entryUrl } from '../library/library-store.ts';
import type { Objects } from '../storage/objects.ts';
import { EVENT_TYPES, type ServiceEventType } from '../webhooks/event-schemas.ts';
import type { Webhooks } from '../webhooks/webhooks.ts';
import type { Charges } from './charges.ts';

export interface FinalParts {
  charges: Charges;
  objects: Objects;
  webhooks: Webhooks;
}

/**
 * Writes all that the end of a job means, in one transaction: its status, its library entry or its refund, and its event.
 * Returns the final job.
 */
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

/** The event of a final job: its type, and its `data` field by field as specified; undefined for media without events. */
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

/** The media whose jobs have events. */
type EventMedium = ServiceEventType extends infer Type
  ? Type extends `${infer Of extends Medium}.generation.${string}`
    ? Of
    : never
  : never;

export function hasEvents(medium: Medium): medium is EventMedium {
  return EVENT_TYPES.some((type) => type === `${medium}.generation.succeeded`);
}
