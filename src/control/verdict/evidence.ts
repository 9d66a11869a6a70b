import { hash } from 'node:crypto';
import { groupBy } from '../../base/text.ts';
import { isOpenStatus } from '../../engine/jobs/job-store.ts';
import type { JournalEntry } from '../../engine/journal/journal-record.ts';
import { findLostJobDeliveries, findSuspectDeliveries } from '../../engine/webhooks/webhook-list-store.ts';
import type { Context } from '../../service/http/context.ts';
import { findUncollectedJobs } from './uncollected-store.ts';

export type RequestEvidence = ReturnType<typeof seen>;
export type VerdictEvidence = Awaited<ReturnType<typeof gatherEvidence>>;

/** Half of the receiver's time limit. */
export const SLOW_RECEIVER_MS = 5000;
const MAX_DELIVERIES = 1000;

export async function gatherEvidence(emulator: Context, accountId: string | undefined) {
  const requests: RequestEvidence[] = [];
  const known = new Set<string>();
  await emulator.records.journal.visit(accountId, (entry) => {
    requests.push(seen(entry));
    for (const id of endsShown(entry)) known.add(id);
  });
  requests.reverse();
  const comparable = requests.filter(({ likeness }) => likeness !== undefined);
  const groups = groupBy(comparable, ({ likeness = '' }) => likeness);
  const started = requests.flatMap(({ id, job_ids, run_id }) =>
    [...job_ids, ...(run_id ? [run_id] : [])].map((made) => [made, id] as const),
  );
  const bounds = { accountId, slowMs: SLOW_RECEIVER_MS, limit: MAX_DELIVERIES };
  return {
    emulator,
    requests,
    alike: [...groups.values()].filter(({ length }) => length > 1),
    deliveries: findSuspectDeliveries(emulator.database, bounds),
    lost: findLostJobDeliveries(emulator.database, bounds),
    /** Jobs whose end a response has shown. */
    known,
    starts: new Map(started),
    uncollected: findUncollectedJobs(emulator, requests, known),
  };
}

/**
 * A request without its bodies, to save memory. Its times are in milliseconds. Changes the entry, because copying each one
 * would be slow.
 */
function seen(entry: JournalEntry) {
  const { began, received = began, method, shown = [] } = entry;
  return Object.assign(entry, {
    request: null,
    answer: null,
    engine_prompt: undefined,
    accountId: entry.account_id ?? '',
    /** `began` and `ended` are the machine's times of arrival and of the end of the response. */
    ended: began + entry.duration_ms,
    /** The emulator's time of arrival. */
    received,
    isLost: isLost(entry),
    openJob: method === 'GET' ? shown.find(({ status }) => isOpenStatus(status))?.id : undefined,
    likeness: likenessOf(entry),
  });
}

/** Returns the jobs whose end the response has shown. A POST that returned 200 has waited for its jobs. */
function endsShown({ method, status, shown = [], job_ids: jobIds }: JournalEntry): readonly string[] {
  if (method === 'POST' && status === 200) return jobIds;
  return shown.filter((job) => !isOpenStatus(job.status)).map(({ id }) => id);
}

/**
 * A client that stops reading a stream may have enough, so a cut stream counts as lost only if a fault rule was applied
 * to it.
 */
function isLost({ cut, streamed, fault }: JournalEntry): boolean {
  return cut === true && (fault !== undefined || !streamed);
}

/**
 * Equal for requests of one account with the same method, path, query and body. Undefined if they cannot be compared.
 */
function likenessOf(entry: JournalEntry): string | undefined {
  const { method, path, request, request_cut, form, account_id: accountId } = entry;
  const isWhole = request !== null && !request_cut;
  if (accountId === null) return undefined;
  const sent = isWhole ? request : form;
  if (method !== 'GET' && method !== 'DELETE' && sent === undefined) return undefined;
  return hash('sha1', `${accountId} ${method} ${path}\n${sent ?? ''}`, 'base64');
}
