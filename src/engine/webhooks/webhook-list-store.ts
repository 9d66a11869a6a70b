import { deriveRelatedId } from '../../base/database/id-store.ts';
import { conditionsWithValues, readIds } from '../../base/database/list-queries.ts';
import type { PositionRange, Reader } from '../../base/database/reader.ts';
import type { RowOf } from '../../base/database/table.ts';
import { NOT_GENUINE_FAULTS, REFUSABLE_FAULTS } from './apply-delivery-fault.ts';
import {
  type DeliveryEventColumns,
  type DeliveryStatus,
  deliveries,
  events,
  FROM_DELIVERIES,
  OPEN_DELIVERY_SQL,
  SELECT_DELIVERY,
  type StoredDelivery,
  type StoredEvent,
} from './delivery-store.ts';
import type { ServiceEventType } from './event-schemas.ts';

// Queries for users, reports and tests. Statements that publish or send deliveries are in delivery-store.ts.

const MAX_QUERIES = 1000;

/** The queries of webhook URLs, at most 1,000. Traces mask them, because a query may contain a token of the receiver. */
export function readEndpointUrlQueries(db: Reader): string[] {
  const rows = db.all<{ query: string }>(
    `SELECT DISTINCT substr(url, instr(url, '?') + 1) AS query
     FROM (SELECT url FROM endpoints UNION SELECT url FROM deliveries) WHERE instr(url, '?') > 0 LIMIT ?`,
    MAX_QUERIES,
  );
  return rows.map(({ query }) => query);
}

/** The status is part of the statement, so that SQLite uses the partial index of failed deliveries. */
export function readDeliveries(
  db: Reader,
  { accountId, before, limit, status }: EventPage & { status?: DeliveryStatus | undefined },
): StoredDelivery[] {
  const [owned, owner] = conditionsWithValues(['deliveries.account_id = ?', accountId]);
  return deliveries.all<DeliveryEventColumns>(
    db,
    `${SELECT_DELIVERY} WHERE ${owned}${status ? `status = '${status}' AND` : ''}
       deliveries.position < ?
     ORDER BY deliveries.position DESC LIMIT ?`,
    ...owner,
    before,
    limit,
  );
}

export function lastDeliveryPositionBeforeEvent(db: Reader, eventPosition: number): number {
  const sql = `SELECT deliveries.position AS position ${FROM_DELIVERIES}
    WHERE events.position < ? AND redelivery_of IS NULL
    ORDER BY deliveries.position DESC LIMIT 1`;
  return db.get<{ position: number }>(sql, eventPosition)?.position ?? 0;
}

interface EventPage {
  accountId?: string | undefined;
  before: number;
  limit: number;
}

export function readEvents(db: Reader, { accountId, before, limit }: EventPage): StoredEvent[] {
  const [owned, owner] = conditionsWithValues(['account_id = ?', accountId]);
  return events.all(
    db,
    `${events.select} WHERE ${owned}position < ?
     ORDER BY position DESC LIMIT ?`,
    ...owner,
    before,
    limit,
  );
}

export function readRecentEventBodies(
  db: Reader,
  of: { workspaceId: string; type: ServiceEventType; flowId?: string },
  limit: number,
): string[] {
  const { workspaceId, type, flowId } = of;
  const rows = db.all<{ body: string }>(
    `SELECT body FROM events WHERE workspace_id = ? AND type = ? AND flow_id IS COALESCE(?, flow_id)
     ORDER BY position DESC LIMIT ?`,
    workspaceId,
    type,
    flowId ?? null,
    limit,
  );
  return rows.map(({ body }) => body);
}

export function readNextEvent(db: Reader, { type, accountId, after }: NextEventQuery): StoredEvent | undefined {
  const [owned, owner] = conditionsWithValues(['account_id = ?', accountId]);
  return events.get(
    db,
    `${events.select}
     WHERE ${owned}position > ? AND type = ?
     ORDER BY position LIMIT 1`,
    ...owner,
    after,
    type,
  );
}

export interface NextEventQuery {
  type: ServiceEventType;
  accountId: string | undefined;
  after: number;
}

export type EventOrigin = Pick<StoredEvent, 'id' | 'jobId' | 'runId'>;

const revealing = deliveries.pick('id', 'accountId', 'url', 'fault', 'status', 'durationMs');

type Origin = Pick<StoredEvent, 'jobId' | 'runId'>;

export type SuspectDelivery = RowOf<typeof revealing> & Origin;

/** A union, because each half uses its own partial index. */
const REVEALING = `SELECT position FROM deliveries
  WHERE fault IS NOT NULL AND fault IN ${faultList(REFUSABLE_FAULTS)} AND status = 'delivered'
  UNION ALL SELECT position FROM deliveries WHERE duration_ms >= 1000 AND duration_ms >= ?`;

/**
 * Finds deliveries that a receiver accepted although it had to reject them, or that took at least `slowMs` and one second.
 * Oldest first.
 */
export function findSuspectDeliveries(
  db: Reader,
  { accountId, slowMs, limit }: { accountId: string | undefined; slowMs: number; limit: number },
): SuspectDelivery[] {
  const [owned, owner] = conditionsWithValues(['deliveries.account_id = ?', accountId]);
  return revealing.all<Origin>(
    db,
    `SELECT ${revealing.list}, job_id AS jobId, run_id AS runId ${FROM_DELIVERIES}
     WHERE ${owned}deliveries.position IN (${REVEALING})
     ORDER BY deliveries.position LIMIT ?`,
    ...owner,
    slowMs,
    limit,
  );
}

export type LostDelivery = SuspectDelivery & Pick<StoredDelivery, 'responseStatus' | 'error'>;

/**
 * Finds failed deliveries of jobs' events that their endpoint never accepted, oldest first. Leaves out deliveries that are
 * not genuine, and those to deleted endpoints. `position > 0` makes SQLite use the partial index of failed deliveries.
 */
export function findLostJobDeliveries(
  db: Reader,
  { accountId, limit }: { accountId: string | undefined; limit: number },
): LostDelivery[] {
  const [owned, owner] = conditionsWithValues(['lost.account_id = ?', accountId]);
  return db.all<LostDelivery>(
    `SELECT lost.id, lost.account_id AS accountId, url, fault, status, duration_ms AS durationMs,
       job_id AS jobId, run_id AS runId, response_status AS responseStatus, error
     FROM deliveries AS lost JOIN events ON events.id = lost.event_id
     WHERE ${owned}status = 'failed' AND lost.position > 0
       AND job_id IS NOT NULL
       ${AND_GENUINE_DELIVERY_SQL}
       AND (response_status IS NULL OR response_status <> 410)
       AND (error IS NULL OR error NOT LIKE 'the endpoint was deleted%')
       AND NOT EXISTS (SELECT 1 FROM deliveries AS taken WHERE taken.event_id = lost.event_id
         AND taken.endpoint_id = lost.endpoint_id AND taken.status = 'delivered')
     ORDER BY lost.position LIMIT ?`,
    ...owner,
    limit,
  );
}

export function findEventOrigins(
  db: Reader,
  { jobIds, runIds }: { jobIds: readonly string[]; runIds: readonly string[] },
): EventOrigin[] {
  if (jobIds.length + runIds.length === 0) return [];
  return db.all<EventOrigin>(
    `SELECT id, job_id AS jobId, run_id AS runId FROM events
     WHERE id IN (SELECT value FROM json_each(?)) OR run_id IN (SELECT value FROM json_each(?))
     ORDER BY position`,
    JSON.stringify(jobIds.map((id) => deriveRelatedId(id, 'event'))),
    JSON.stringify(runIds),
  );
}

export function findDeliveryIdsByEvent(db: Reader, eventIds: readonly string[]): { id: string; eventId: string }[] {
  if (eventIds.length === 0) return [];
  return db.all(
    `SELECT id, event_id AS eventId FROM deliveries
     WHERE event_id IN (SELECT value FROM json_each(?)) ORDER BY position`,
    JSON.stringify(eventIds),
  );
}

export const AND_GENUINE_DELIVERY_SQL = `AND (fault IS NULL OR fault NOT IN ${faultList(NOT_GENUINE_FAULTS)})`;

function faultList(faults: readonly string[]): string {
  return `(${faults.map((fault) => `'${fault}'`).join(', ')})`;
}

/** With `genuine`, only an accepted delivery counts, and only if it is genuine (`isGenuineDelivery`). */
export function readNextFinishedDelivery(
  db: Reader,
  { type, accountId, after, genuine }: NextEventQuery & { genuine: boolean },
): StoredDelivery | undefined {
  const [owned, owner] = conditionsWithValues(['deliveries.account_id = ?', accountId]);
  return deliveries.get<DeliveryEventColumns>(
    db,
    `${SELECT_DELIVERY} WHERE ${owned}deliveries.position > ?
       AND ${genuine ? `status = 'delivered' ${AND_GENUINE_DELIVERY_SQL}` : "status IN ('delivered', 'failed')"} AND events.type = ?
     ORDER BY deliveries.position LIMIT 1`,
    ...owner,
    after,
    type,
  );
}

export function findInconsistentDeliveryIds(db: Reader, { after, last }: PositionRange): string[] {
  return readIds(
    db,
    `SELECT d.id FROM deliveries d LEFT JOIN events e ON e.id = d.event_id
     WHERE d.position > ? AND d.position <= ? AND (e.id IS NULL
        OR (d.status = 'due' AND d.attempted_at IS NOT NULL)
        OR (d.status IN ('attempted', 'delivered') AND d.attempted_at IS NULL)
        OR (d.status = 'delivered' AND (d.response_status IS NULL OR d.response_status NOT BETWEEN 200 AND 299)))`,
    after,
    last,
  );
}

export function countOpenDeliveries(db: Reader, accountId?: string): number {
  const sql = `SELECT COUNT(*) AS n FROM deliveries
    WHERE ${OPEN_DELIVERY_SQL} AND account_id = COALESCE(?, account_id)`;
  return db.get<{ n: number }>(sql, accountId ?? null)?.n ?? 0;
}
