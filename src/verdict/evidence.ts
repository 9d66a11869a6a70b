import { hash } from 'node:crypto';
import type { JournalEntry } from '../journal/journal.ts';
import { wholeBody } from '../journal/redaction.ts';
import type { Subsystems } from '../subsystems.ts';
import { type TellingDelivery, tellingDeliveries } from '../webhooks/trail-store.ts';

/** What of a request can tell against its client; times in milliseconds. */
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
  /** The error that it was answered with, as it was written. */
  error: string | undefined;
  /** The job that it read, where that was not final. */
  openJob: string | undefined;
  /** The same for requests of one account that are alike in every byte; undefined where that is not known. */
  likeness: string | undefined;
}

/** All that the emulator knows of one client, or of all. */
export interface Evidence {
  emulator: Subsystems;
  /** Oldest first. */
  requests: readonly Seen[];
  /** Those that are alike, oldest first; only where there are several. */
  alike: readonly (readonly Seen[])[];
  deliveries: readonly TellingDelivery[];
  /** Ids of requests by the job or run that they started. */
  starts: ReadonlyMap<string, string>;
}

/** From this on a receiver keeps a webhook waiting: half of what it is given. */
export const SLOW_MS = 5000;
const MOST_DELIVERIES = 1000;

/** Reads the record of one account, or of all; nobody else waits for it. */
export async function gatherEvidence(emulator: Subsystems, accountId: string | undefined): Promise<Evidence> {
  const requests: Seen[] = [];
  await emulator.journal.visit(accountId, (entry) => requests.push(seen(entry)));
  requests.reverse();
  const bounds = { accountId, slowMs: SLOW_MS, limit: MOST_DELIVERIES };
  return {
    ...{ emulator, requests, alike: groupsOf(requests) },
    deliveries: tellingDeliveries(emulator.database, bounds),
    starts: new Map(
      requests.flatMap(({ id, jobIds, runId }) =>
        [...jobIds, ...(runId ? [runId] : [])].map((started) => [started, id] as const),
      ),
    ),
  };
}

function seen(entry: JournalEntry): Seen {
  const { id, method, path, status, began, received = began, duration_ms, charges } = entry;
  return {
    ...{ id, method, path, status, began, received, charges },
    accountId: entry.account_id ?? '',
    ended: began + duration_ms,
    retryCount: entry.retry_count,
    retryAfter: entry.retry_after,
    jobIds: entry.job_ids,
    runId: entry.run_id,
    isLost: isLost(entry),
    error: status >= 400 && entry.answer !== null ? entry.answer : undefined,
    openJob: openJobOf(entry),
    likeness: likenessOf(entry),
  };
}

/** Whoever stops reading a stream may have had enough of it; who gets no answer, or one that a rule cut, has not. */
function isLost({ cut, request, fault }: JournalEntry): boolean {
  if (!cut) return false;
  return fault !== undefined || !/"stream"\s*:\s*true/.test(request ?? '');
}

const JOB = /^\/v1\/(?:videos|music)\/generations\/([^/?]+)/;
const OPEN = /"status":"(?:queued|processing)"/;

function openJobOf({ method, path, status, answer }: JournalEntry): string | undefined {
  if (method !== 'GET' || status !== 200 || !OPEN.test(answer?.slice(0, 400) ?? '')) return undefined;
  return JOB.exec(path)?.[1];
}

/** A form, and a body that is not kept whole, cannot be compared. */
function likenessOf(entry: JournalEntry): string | undefined {
  const { method, path, request, account_id: accountId } = entry;
  const body = wholeBody(request);
  if (accountId === null) return undefined;
  if (method !== 'GET' && method !== 'DELETE' && body === undefined) return undefined;
  return hash('sha1', `${accountId} ${method} ${path}\n${body ?? ''}`, 'base64');
}

function groupsOf(requests: readonly Seen[]): Seen[][] {
  const groups = new Map<string, Seen[]>();
  for (const each of requests) {
    if (each.likeness === undefined) continue;
    const group = groups.get(each.likeness);
    if (group) group.push(each);
    else groups.set(each.likeness, [each]);
  }
  return [...groups.values()].filter(({ length }) => length > 1);
}
