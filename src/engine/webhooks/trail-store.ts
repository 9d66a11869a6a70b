import { idBeside } from '../../base/database/id-store.ts';
import type { Positions, Reader } from '../../base/database/transaction.ts';
import { REFUSABLE_FAULTS, SPURIOUS_FAULTS } from './delivery-fault.ts';
import { COLUMNS, type Following, FROM, type StoredDelivery } from './delivery-store.ts';

export interface EventTrail {
  id: string;
  jobId: string | null;
  runId: string | null;
}

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

/** A union, because each half uses its own partial index. */
const REVEALING = `SELECT position FROM deliveries
  WHERE fault IS NOT NULL AND fault IN ${faultList(REFUSABLE_FAULTS)} AND status = 'delivered'
  UNION ALL SELECT position FROM deliveries WHERE duration_ms >= 1000 AND duration_ms >= ?`;

/**
 * Deliveries that were accepted although the receiver had to reject them, or that took at least `slowMs`. Oldest first.
 */
export function tellingDeliveries(
  db: Reader,
  { accountId, slowMs, limit }: { accountId: string | undefined; slowMs: number; limit: number },
): TellingDelivery[] {
  const owner = accountId === undefined ? [] : [accountId];
  return db.all<TellingDelivery>(
    `SELECT deliveries.id, deliveries.account_id AS accountId, url, fault, status,
       duration_ms AS durationMs, job_id AS jobId, run_id AS runId
     FROM deliveries JOIN events ON events.id = event_id
     WHERE ${owner.length ? 'deliveries.account_id = ? AND' : ''} deliveries.position IN (${REVEALING})
     ORDER BY deliveries.position LIMIT ?`,
    ...owner,
    slowMs,
    limit,
  );
}

export interface LostDelivery extends TellingDelivery {
  responseStatus: number | null;
  error: string | null;
}

const SPURIOUS = faultList([...SPURIOUS_FAULTS, 'foreign']);

/**
 * Genuine events of jobs that an endpoint never accepted, oldest first. Deliveries to deleted endpoints do not count.
 * `position > 0` makes SQLite use the partial index of failed deliveries.
 */
export function lostDeliveries(
  db: Reader,
  { accountId, limit }: { accountId: string | undefined; limit: number },
): LostDelivery[] {
  const owner = accountId === undefined ? [] : [accountId];
  return db.all<LostDelivery>(
    `SELECT lost.id, lost.account_id AS accountId, url, fault, status, duration_ms AS durationMs,
       job_id AS jobId, run_id AS runId, response_status AS responseStatus, error
     FROM deliveries AS lost JOIN events ON events.id = lost.event_id
     WHERE ${owner.length ? 'lost.account_id = ? AND' : ''} status = 'failed' AND lost.position > 0
       AND job_id IS NOT NULL
       AND (fault IS NULL OR fault NOT IN ${SPURIOUS})
       AND (response_status IS NULL OR response_status <> 410)
       AND (error IS NULL OR error NOT LIKE 'the endpoint was deleted%')
       AND NOT EXISTS (SELECT 1 FROM deliveries AS taken WHERE taken.event_id = lost.event_id
         AND taken.endpoint_id = lost.endpoint_id AND taken.status = 'delivered')
     ORDER BY lost.position LIMIT ?`,
    ...owner,
    limit,
  );
}

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

export function deliveriesOf(db: Reader, eventIds: readonly string[]): { id: string; eventId: string }[] {
  if (eventIds.length === 0) return [];
  return db.all(
    `SELECT id, event_id AS eventId FROM deliveries
     WHERE event_id IN (SELECT value FROM json_each(?)) ORDER BY position`,
    JSON.stringify(eventIds),
  );
}

const GENUINE = `AND (fault IS NULL OR fault NOT IN ${faultList(SPURIOUS_FAULTS)})`;

export function faultList(faults: readonly string[]): string {
  return `(${faults.map((fault) => `'${fault}'`).join(', ')})`;
}

export function readNextClosed(
  db: Reader,
  { type, accountId, after, genuine }: Following & { genuine: boolean },
): StoredDelivery | undefined {
  const owner = accountId === undefined ? [] : [accountId];
  return db.get<StoredDelivery>(
    `SELECT ${COLUMNS} ${FROM}
     WHERE ${owner.length ? 'deliveries.account_id = ? AND' : ''} deliveries.position > ?
       AND status IN ('delivered', 'failed') AND events.type = ? ${genuine ? GENUINE : ''}
     ORDER BY deliveries.position LIMIT 1`,
    ...owner,
    after,
    type,
  );
}

/** Deliveries in an impossible state, such as due although attempted. There must never be any. */
export function findBrokenDeliveries(db: Reader, { after, last }: Positions): string[] {
  return db
    .all<{ id: string }>(
      `SELECT d.id FROM deliveries d LEFT JOIN events e ON e.id = d.event_id
       WHERE d.position > ? AND d.position <= ? AND (e.id IS NULL
          OR (d.status = 'due' AND d.attempted_at IS NOT NULL)
          OR (d.status IN ('attempted', 'delivered') AND d.attempted_at IS NULL)
          OR (d.status = 'delivered' AND (d.response_status IS NULL OR d.response_status NOT BETWEEN 200 AND 299)))`,
      after,
      last,
    )
    .map(({ id }) => id);
}
