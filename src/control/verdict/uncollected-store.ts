import { deriveRelatedId } from '../../base/database/id-store.ts';
import type { Reader } from '../../base/database/reader.ts';
import { AND_GENUINE_DELIVERY_SQL } from '../../engine/webhooks/webhook-list-store.ts';
import type { Context } from '../../service/http/context.ts';

interface EndedJob {
  id: string;
  accountId: string;
  credits: number;
  libraryId: string;
  objectId: string | null;
}

/**
 * Returns succeeded jobs that were read only while they were open. No endpoint accepted a genuine delivery of their
 * event, and their file was not read. `reads` are the ids of the requests that saw the job open; `quiet` is the time
 * since the last of them, in milliseconds. The jobs in `known` were read after their end.
 */
export function findUncollectedJobs(
  { database, records, clock }: Context,
  requests: readonly { id: string; ended: number; openJob: string | undefined }[],
  known: ReadonlySet<string>,
) {
  const reads = requests.filter(({ openJob }) => openJob !== undefined && !known.has(openJob));
  const ids = [...new Set(reads.flatMap(({ openJob }) => openJob ?? []))];
  return unannouncedJobs(database, ids).flatMap(({ libraryId, objectId, ...job }) => {
    if ([libraryId, objectId].some((ref) => ref !== null && wasRead(records.audit, ref))) return [];
    const ofJob = reads.filter(({ openJob }) => openJob === job.id);
    const quiet = Math.min(...ofJob.map(({ ended }) => clock.real() - ended));
    return [{ ...job, quiet, reads: ofJob.map(({ id }) => id) }];
  });
}

function unannouncedJobs(db: Reader, ids: readonly string[]): EndedJob[] {
  return db.all<EndedJob>(
    `SELECT jobs.id, jobs.account_id AS accountId, jobs.credits, library.id AS libraryId, object_id AS objectId
     FROM json_each(?) AS given
     CROSS JOIN jobs ON jobs.id = given.value ->> 'job'
     JOIN library ON library.job = jobs.position
     WHERE jobs.status = 'succeeded' AND NOT EXISTS (SELECT 1 FROM deliveries
       WHERE event_id = given.value ->> 'event' AND status = 'delivered' ${AND_GENUINE_DELIVERY_SQL})`,
    JSON.stringify(ids.map((job) => ({ job, event: deriveRelatedId(job, 'event') }))),
  );
}

function wasRead(audit: Context['records']['audit'], ref: string): boolean {
  const reads = audit.list({ before: Number.MAX_SAFE_INTEGER, limit: 100, kind: 'read', ref });
  return reads.some(({ call }) => call !== null && call.status >= 200 && call.status < 300);
}
