import type { Reader } from '../database/transaction.ts';
import { idBeside } from '../ids.ts';

/** An event by what led to it. */
export interface EventTrail {
  id: string;
  jobId: string | null;
  runId: string | null;
}

/** A delivery by which a receiver can be judged. */
export interface TellingDelivery {
  id: string;
  accountId: string;
  url: string;
  fault: string | null;
  status: string;
  durationMs: number | null;
  jobId: string | null;
  runId: string | null;
}

/** Each half goes by an index of its own, of the few of its kind. */
const TELLING = `SELECT position FROM deliveries
  WHERE fault IS NOT NULL AND fault IN ('bad_signature', 'old_timestamp', 'forged', 'replayed') AND status = 'delivered'
  UNION ALL SELECT position FROM deliveries WHERE duration_ms >= 1000 AND duration_ms >= ?`;

/** Deliveries, oldest first, that were taken although they were forged, or that took so many milliseconds. */
export function tellingDeliveries(
  db: Reader,
  { accountId, slowMs, limit }: { accountId: string | undefined; slowMs: number; limit: number },
): TellingDelivery[] {
  const owner = accountId === undefined ? [] : [accountId];
  return db.all<TellingDelivery>(
    `SELECT deliveries.id, deliveries.account_id AS accountId, url, fault, status,
       duration_ms AS durationMs, job_id AS jobId, run_id AS runId
     FROM deliveries JOIN events ON events.id = event_id
     WHERE ${owner.length ? 'deliveries.account_id = ? AND' : ''} deliveries.position IN (${TELLING})
     ORDER BY deliveries.position LIMIT ?`,
    ...owner,
    slowMs,
    limit,
  );
}

/** The events that jobs and runs led to, oldest first. */
export function eventsOf(
  db: Reader,
  { jobIds, runIds }: { jobIds: readonly string[]; runIds: readonly string[] },
): EventTrail[] {
  if (jobIds.length + runIds.length === 0) return [];
  return db.all<EventTrail>(
    `SELECT id, job_id AS jobId, run_id AS runId FROM events
     WHERE id IN (SELECT value FROM json_each(?)) OR run_id IN (SELECT value FROM json_each(?))
     ORDER BY position`,
    JSON.stringify(jobIds.map((id) => idBeside(id, 'event'))),
    JSON.stringify(runIds),
  );
}

/** The deliveries of events, oldest first. */
export function deliveriesOf(db: Reader, eventIds: readonly string[]): { id: string; eventId: string }[] {
  if (eventIds.length === 0) return [];
  return db.all(
    `SELECT id, event_id AS eventId FROM deliveries
     WHERE event_id IN (SELECT value FROM json_each(?)) ORDER BY position`,
    JSON.stringify(eventIds),
  );
}
