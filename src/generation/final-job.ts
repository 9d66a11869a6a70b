import type { Transaction } from '../database/transaction.ts';
import type { FinishedFile, Job, JobResult, Outcome } from '../jobs/job.ts';
import { completeJob } from '../jobs/job-store.ts';
import { refund } from '../ledger/ledger.ts';
import { addEntry, entryName, entryUrl } from '../library/library.ts';
import type { Random } from '../random.ts';
import type { Objects } from '../storage/objects.ts';
import type { Webhooks } from '../webhooks/webhooks.ts';
import { announcement } from './announcement.ts';

export interface FinalParts {
  random: Random;
  objects: Objects;
  webhooks: Webhooks;
}

/**
 * Makes what a render came to true, all in one transaction: the job is final, its file is in the library or its charge
 * refunded, and its event written. Answers the job as it is then.
 */
export function makeFinal(parts: FinalParts, tx: Transaction, job: Job, outcome: Outcome): Job {
  const result =
    'error' in outcome ? fail(parts, tx, job, outcome) : succeed(parts, tx, job, outcome);
  const status = 'error' in result ? 'failed' : 'succeeded';
  completeJob(tx, job, { status, result });
  const final: Job = { ...job, status, outcome, result, completed: tx.now };
  const { workspaceId, accountId, id, faults } = job;
  const event = announcement(final);
  if (event) parts.webhooks.announce(tx, { ...event, workspaceId, accountId, jobId: id, faults });
  return final;
}

function fail(
  { random }: FinalParts,
  tx: Transaction,
  { accountId, charge }: Job,
  { error }: Extract<Outcome, { error: unknown }>,
): JobResult {
  refund(tx, random, { accountId, n: charge });
  return { error };
}

function succeed(
  { objects }: FinalParts,
  tx: Transaction,
  job: Job,
  outcome: FinishedFile,
): JobResult {
  const { accountId, id, medium } = job;
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
  const entryId = addEntry(tx, {
    job,
    file: { name: outcome.file, bytes, contentType, seconds: outcome.seconds },
    ...(object ? { objectId: object.id } : {}),
  });
  const entry = { id: entryId, contentType, object: object ?? null };
  return {
    result_url: job.baseUrl + entryUrl(tx, entry, tx.now),
    content_type: contentType,
    library_id: entryId,
    ...(medium === 'music' ? { duration: outcome.seconds } : {}),
  };
}
