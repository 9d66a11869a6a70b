import { hash } from 'node:crypto';
import { grouped } from '../../base/grouped.ts';
import { isUnderWay } from '../../engine/jobs/job.ts';
import type { JournalEntry } from '../../engine/journal/journal-record.ts';
import {
  type LostDelivery,
  lostDeliveries,
  type TellingDelivery,
  tellingDeliveries,
} from '../../engine/webhooks/trail-store.ts';
import type { Context } from '../../service/http/context.ts';

/** What of a request can count against its client; times in milliseconds. */
export interface Seen {
  id: string;
  accountId: string;
  method: string;
  path: string;
  status: number;
  /** The machine's time of the first byte, and of the end of the answer. */
  began: number;
  ended: number;
  /** The emulator's time of the first byte. */
  received: number;
  retryCount: number;
  retryAfter: number | undefined;
  charges: readonly string[];
  jobIds: readonly string[];
  runId: string | undefined;
  /** The connection was over before the answer was, and it was not the client who had had enough of a stream. */
  isLost: boolean;
  /** The code of the error that it was answered with; of a 402, what there was to pay with. */
  error: string | undefined;
  left: number | undefined;
  /** The job that it read, where that was not final. */
  openJob: string | undefined;
  /** The same for requests of one account that are alike in every byte; undefined where that is not known. */
  likeness: string | undefined;
}

/** All that the emulator knows of one client, or of all. */
export interface Evidence {
  emulator: Context;
  /** Oldest first. */
  requests: readonly Seen[];
  /** Those that are alike, oldest first; only where there are several. */
  alike: readonly (readonly Seen[])[];
  deliveries: readonly TellingDelivery[];
  /** Genuine ones that no endpoint accepted. */
  lost: readonly LostDelivery[];
  /** Jobs whose end an answer has shown. */
  known: ReadonlySet<string>;
  /** Ids of requests by the job or run that they started. */
  starts: ReadonlyMap<string, string>;
}

/** From this on a receiver keeps a webhook waiting: half of what it is given. */
export const SLOW_MS = 5000;
const MOST_DELIVERIES = 1000;

/** Reads the record of one account, or of all, in slices: no other request waits for it. */
export async function gatherEvidence(emulator: Context, accountId: string | undefined): Promise<Evidence> {
  const requests: Seen[] = [];
  const known = new Set<string>();
  await emulator.journal.visit(accountId, (entry) => {
    requests.push(seen(entry));
    for (const id of endsShown(entry)) known.add(id);
  });
  requests.reverse();
  const { alike, starts } = tied(requests);
  const bounds = { accountId, slowMs: SLOW_MS, limit: MOST_DELIVERIES };
  const deliveries = tellingDeliveries(emulator.database, bounds);
  const lost = lostDeliveries(emulator.database, bounds);
  return { emulator, requests, alike, deliveries, lost, known, starts };
}

/** What belongs together among requests, the oldest of which comes first. */
function tied(requests: readonly Seen[]): Pick<Evidence, 'alike' | 'starts'> {
  const comparable = requests.filter(({ likeness }) => likeness !== undefined);
  const groups = grouped(comparable, ({ likeness = '' }) => likeness);
  const started = requests.flatMap(({ id, jobIds, runId }) =>
    [...jobIds, ...(runId ? [runId] : [])].map((made) => [made, id] as const),
  );
  return { alike: [...groups.values()].filter(({ length }) => length > 1), starts: new Map(started) };
}

function seen(entry: JournalEntry): Seen {
  const { id, method, path, status, began, received = began, duration_ms, charges } = entry;
  return {
    id,
    method,
    path,
    status,
    began,
    received,
    charges,
    accountId: entry.account_id ?? '',
    ended: began + duration_ms,
    retryCount: entry.retry_count,
    retryAfter: entry.retry_after,
    jobIds: entry.job_ids,
    runId: entry.run_id,
    isLost: isLost(entry),
    error: entry.error,
    left: entry.left,
    openJob: openJobOf(entry),
    likeness: likenessOf(entry),
  };
}

/** A call that waits for its render has its end for an answer. */
function endsShown({ method, status, shown = [], job_ids: jobIds }: JournalEntry): readonly string[] {
  if (method === 'POST' && status === 200) return jobIds;
  return shown.filter((job) => !isUnderWay(job.status)).map(({ id }) => id);
}

/** A client that stops reading a stream may have had enough of it; one that gets no answer, or one that a rule cut, has not. */
function isLost({ cut, streamed, fault }: JournalEntry): boolean {
  return cut === true && (fault !== undefined || !streamed);
}

function openJobOf({ method, shown = [] }: JournalEntry): string | undefined {
  if (method !== 'GET') return undefined;
  return shown.find(({ status }) => isUnderWay(status))?.id;
}

/** A body that is not kept whole cannot be compared; a form is identified by its contents. */
function likenessOf(entry: JournalEntry): string | undefined {
  const { method, path, request, request_cut, form, account_id: accountId } = entry;
  const isWhole = request !== null && !request_cut;
  if (accountId === null) return undefined;
  const sent = isWhole ? request : form;
  if (method !== 'GET' && method !== 'DELETE' && sent === undefined) return undefined;
  return hash('sha1', `${accountId} ${method} ${path}\n${sent ?? ''}`, 'base64');
}
