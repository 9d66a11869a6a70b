import type { Reader } from '../database/transaction.ts';

/** An event by what led to it. */
export interface EventTrail {
  id: string;
  jobId: string | null;
  runId: string | null;
}

/** The events that jobs and runs led to, oldest first. */
export function eventsOf(
  db: Reader,
  { jobIds, runIds }: { jobIds: readonly string[]; runIds: readonly string[] },
): EventTrail[] {
  if (jobIds.length + runIds.length === 0) return [];
  return db.all<EventTrail>(
    `SELECT id, job_id AS jobId, run_id AS runId FROM events
     WHERE job_id IN (SELECT value FROM json_each(?)) OR run_id IN (SELECT value FROM json_each(?))
     ORDER BY position`,
    JSON.stringify(jobIds),
    JSON.stringify(runIds),
  );
}

/** The deliveries of events, oldest first. */
export function deliveriesOf(
  db: Reader,
  eventIds: readonly string[],
): { id: string; eventId: string }[] {
  if (eventIds.length === 0) return [];
  return db.all(
    `SELECT id, event_id AS eventId FROM deliveries
     WHERE event_id IN (SELECT value FROM json_each(?)) ORDER BY position`,
    JSON.stringify(eventIds),
  );
}
