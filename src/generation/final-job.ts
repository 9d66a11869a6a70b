import type { Transaction } from '../database/transaction.ts';
import type { JobFaults } from '../faults/applied-fault.ts';
import {
  type FinalStatus,
  type FinishedFile,
  type Job,
  type JobError,
  type JobResult,
  type NewJob,
  type Outcome,
  requireMove,
} from '../jobs/job.ts';
import { refund } from '../ledger/ledger.ts';
import { addEntry, entryIdOf, entryName, entryUrl } from '../library/library.ts';
import type { Random } from '../random.ts';
import type { Objects } from '../storage/objects.ts';
import type { Webhooks } from '../webhooks/webhooks.ts';
import { announcement } from './announcement.ts';

export interface FinalParts {
  random: Random;
  objects: Objects;
  webhooks: Webhooks;
}

/** A job that is at its end: written before or not, and how it is written as final. */
export interface Ending<Open extends NewJob> {
  job: Open;
  /** What spoils its event; what is kept with the job unless given. */
  faults?: JobFaults | null;
  outcome: Outcome;
  /** Answers the job with its place. */
  write(final: Open): Job;
}

/**
 * Makes what a render came to true, all in one transaction: the job is final, its file is in the library or its charge
 * refunded, and its event written. Answers the job as it is then.
 */
export function makeFinal<Open extends NewJob>(parts: FinalParts, tx: Transaction, ending: Ending<Open>): Job {
  const { outcome } = ending;
  const final = 'error' in outcome ? fail(parts, tx, ending, outcome.error) : succeed(parts, tx, ending, outcome);
  const { workspaceId, accountId, id, requestId } = final;
  const { faults = final.faults } = ending;
  const event = announcement(final);
  if (event) parts.webhooks.announce(tx, { ...event, workspaceId, accountId, jobId: id, requestId, faults });
  return final;
}

function fail<Open extends NewJob>(
  { random }: FinalParts,
  tx: Transaction,
  ending: Ending<Open>,
  error: JobError,
): Job {
  const { accountId, charge } = ending.job;
  refund(tx, random, { accountId, n: charge });
  return writeFinal(tx, ending, { status: 'failed', result: { error } });
}

function succeed<Open extends NewJob>(
  { objects }: FinalParts,
  tx: Transaction,
  ending: Ending<Open>,
  { file, bytes, contentType, seconds }: FinishedFile,
): Job {
  const { accountId, id, medium, store, baseUrl } = ending.job;
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
  addEntry(tx, {
    job: final,
    file: { name: file, bytes, contentType, seconds },
    objectId: object?.id,
  });
  return final;
}

function writeFinal<Open extends NewJob>(
  tx: Transaction,
  { job, outcome, write }: Ending<Open>,
  end: { status: FinalStatus; result: JobResult },
): Job {
  requireMove(job.status, end.status);
  return write({ ...job, ...end, outcome, started: job.started ?? tx.now, completed: tx.now });
}
