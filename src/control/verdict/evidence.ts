import { hash } from 'node:crypto';
import { grouped } from '../../base/text.ts';
import { isUnderWay } from '../../engine/jobs/job.ts';
import type { JournalEntry } from '../../engine/journal/journal-record.ts';
import { lostDeliveries, revealingDeliveries } from '../../engine/webhooks/delivery-store.ts';
import type { Context } from '../../service/http/context.ts';

/** What of a request can count against its client. */
export type SeenEvidence = ReturnType<typeof seen>;
/** All that the emulator knows of one client, or of all. */
export type Evidence = Awaited<ReturnType<typeof gatherEvidence>>;

/** From this on a receiver keeps a webhook waiting: half of what it is given. */
export const SLOW_MS = 5000;
const MOST_DELIVERIES = 1000;

/** Reads the record of one account, or of all, in slices: no other request waits for it. */
export async function gatherEvidence(emulator: Context, accountId: string | undefined) {
  const requests: SeenEvidence[] = [];
  const known = new Set<string>();
  await emulator.records.journal.visit(accountId, (entry) => {
    requests.push(seen(entry));
    for (const id of endsShown(entry)) known.add(id);
  });
  requests.reverse();
  const comparable = requests.filter(({ likeness }) => likeness !== undefined);
  const groups = grouped(comparable, ({ likeness = '' }) => likeness);
  const started = requests.flatMap(({ id, jobIds, runId }) =>
    [...jobIds, ...(runId ? [runId] : [])].map((made) => [made, id] as const),
  );
  const bounds = { accountId, slowMs: SLOW_MS, limit: MOST_DELIVERIES };
  return {
    emulator,
    /** Oldest first. */
    requests,
    /** Those that are alike, oldest first; only where there are several. */
    alike: [...groups.values()].filter(({ length }) => length > 1),
    deliveries: revealingDeliveries(emulator.database, bounds),
    /** Genuine ones that no endpoint accepted. */
    lost: lostDeliveries(emulator.database, bounds),
    /** Jobs whose end an answer has shown. */
    known,
    /** Ids of requests by the job or run that they started. */
    starts: new Map(started),
  };
}

/** A request without its bodies; times in milliseconds. */
function seen(entry: JournalEntry) {
  const { id, method, path, status, began, received = began, duration_ms, charges, error, left } = entry;
  return {
    id,
    method,
    path,
    status,
    charges,
    /** The code of the error that it was answered with; of a 402, what there was to pay with. */
    error,
    left,
    accountId: entry.account_id ?? '',
    /** The machine's time of the first byte, and of the end of the answer; the emulator's time of the first byte. */
    began,
    ended: began + duration_ms,
    received,
    retryCount: entry.retry_count,
    retryAfter: entry.retry_after,
    jobIds: entry.job_ids,
    runId: entry.run_id,
    isLost: isLost(entry),
    openJob: openJobOf(entry),
    likeness: likenessOf(entry),
  };
}

/** A call that waits for its render has its end for an answer. */
function endsShown({ method, status, shown = [], job_ids: jobIds }: JournalEntry): readonly string[] {
  if (method === 'POST' && status === 200) return jobIds;
  return shown.filter((job) => !isUnderWay(job.status)).map(({ id }) => id);
}

/**
 * The connection was over before the answer was, and it was not the client who had had enough of a stream. A client that
 * stops reading a stream may have had enough of it; one that gets no answer, or one that a rule cut, has not.
 */
function isLost({ cut, streamed, fault }: JournalEntry): boolean {
  return cut === true && (fault !== undefined || !streamed);
}

/** The job that it read, where that was not final. */
function openJobOf({ method, shown = [] }: JournalEntry): string | undefined {
  if (method !== 'GET') return undefined;
  return shown.find(({ status }) => isUnderWay(status))?.id;
}

/** The same for requests of one account that are alike in every byte. A body that is not kept whole cannot be compared; a form is identified by its contents. */
function likenessOf(entry: JournalEntry): string | undefined {
  const { method, path, request, request_cut, form, account_id: accountId } = entry;
  const isWhole = request !== null && !request_cut;
  if (accountId === null) return undefined;
  const sent = isWhole ? request : form;
  if (method !== 'GET' && method !== 'DELETE' && sent === undefined) return undefined;
  return hash('sha1', `${accountId} ${method} ${path}\n${sent ?? ''}`, 'base64');
}
