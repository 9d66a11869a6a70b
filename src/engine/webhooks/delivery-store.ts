import type { Reader } from '../../base/database/transaction.ts';
import type { DeliveryFault } from './delivery-fault.ts';
import type { EventType } from './event-schemas.ts';
import { EVENT_COLUMNS, type StoredEvent } from './outbox-store.ts';

/** So many are looked for in a trace. */
const MOST_QUERIES = 1000;

export const DELIVERY_STATES = ['due', 'attempted', 'delivered', 'failed'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATES)[number];

/** A delivery as stored. `attemptedAt` is the machine's time, `created` the emulator's, both in milliseconds. */
export interface StoredDelivery {
  id: string;
  eventId: string;
  type: EventType;
  /** The request that led to its event. */
  requestId: string | null;
  accountId: string;
  endpointId: string;
  url: string;
  status: DeliveryStatus;
  redeliveryOf: string | null;
  fault: DeliveryFault | null;
  signature: string | null;
  attemptedAt: number | null;
  durationMs: number | null;
  responseStatus: number | null;
  responseBody: string | null;
  error: string | null;
  created: number;
}

export const COLUMNS = `deliveries.id, event_id AS eventId, events.type AS type,
  events.request_id AS requestId,
  deliveries.account_id AS accountId, endpoint_id AS endpointId, url, status,
  redelivery_of AS redeliveryOf, fault, signature, attempted_at AS attemptedAt,
  duration_ms AS durationMs, response_status AS responseStatus, response_body AS responseBody, error,
  deliveries.created AS created`;
export const FROM = 'FROM deliveries JOIN events ON events.id = deliveries.event_id';

/** The queries of all addresses that events were or are to be sent to, each once: a receiver may know its sender by one. */
export function readUrlQueries(db: Reader): string[] {
  const rows = db.all<{ query: string }>(
    `SELECT DISTINCT substr(url, instr(url, '?') + 1) AS query
     FROM (SELECT url FROM endpoints UNION SELECT url FROM deliveries) WHERE instr(url, '?') > 0 LIMIT ?`,
    MOST_QUERIES,
  );
  return rows.map(({ query }) => query);
}

export function readDelivery(db: Reader, id: string): StoredDelivery | undefined {
  return db.get<StoredDelivery>(`SELECT ${COLUMNS} ${FROM} WHERE deliveries.id = ?`, id);
}

/** Newest first. The state is part of the statement, so that SQLite can use its partial index. */
export function readDeliveries(
  db: Reader,
  { accountId, before, limit, status }: Slice & { status?: DeliveryStatus | undefined },
): StoredDelivery[] {
  const owner = accountId === undefined ? [] : [accountId];
  return db.all<StoredDelivery>(
    `SELECT ${COLUMNS} ${FROM}
     WHERE ${owner.length ? 'deliveries.account_id = ? AND' : ''} ${status ? `status = '${status}' AND` : ''}
       deliveries.position < ?
     ORDER BY deliveries.position DESC LIMIT ?`,
    ...owner,
    before,
    limit,
  );
}

/** The position of a delivery in the list. */
export function readDeliveryPosition(db: Reader, id: string): number | undefined {
  const sql = 'SELECT position FROM deliveries WHERE id = ?';
  return db.get<{ position: number }>(sql, id)?.position;
}

/** The position of the last first delivery of an event before this one; 0 when there is none. */
export function readLastPositionBefore(db: Reader, eventPosition: number): number {
  const sql = `SELECT deliveries.position AS position ${FROM}
    WHERE events.position < ? AND redelivery_of IS NULL
    ORDER BY deliveries.position DESC LIMIT 1`;
  return db.get<{ position: number }>(sql, eventPosition)?.position ?? 0;
}

/** A part of a list: what comes before a position, of one account or of all. */
export interface Slice {
  accountId: string | undefined;
  before: number;
  limit: number;
}

/** Newest first. */
export function readEvents(db: Reader, { accountId, before, limit }: Slice): StoredEvent[] {
  const owner = accountId === undefined ? [] : [accountId];
  return db.all<StoredEvent>(
    `SELECT ${EVENT_COLUMNS} FROM events WHERE ${owner.length ? 'account_id = ? AND' : ''} position < ?
     ORDER BY position DESC LIMIT ?`,
    ...owner,
    before,
    limit,
  );
}

/** The position of an event in the list. */
export function readEventPosition(db: Reader, id: string): number | undefined {
  return db.get<{ position: number }>('SELECT position FROM events WHERE id = ?', id)?.position;
}

/** The newest bodies of a type in a workspace, of one flow when it is given. */
export function readRecentBodies(
  db: Reader,
  of: { workspaceId: string; type: EventType; flowId?: string },
  limit: number,
): string[] {
  const { workspaceId, type, flowId } = of;
  const rows = db.all<{ body: string }>(
    `SELECT body FROM events WHERE workspace_id = ? AND type = ? AND flow_id IS COALESCE(?, flow_id)
       AND COALESCE(altered_by, '') NOT LIKE '%event.none%'
     ORDER BY position DESC LIMIT ?`,
    workspaceId,
    type,
    flowId ?? null,
    limit,
  );
  return rows.map(({ body }) => body);
}

/** The first event that follows. */
export function readNextEvent(db: Reader, { type, accountId, after }: Following): StoredEvent | undefined {
  const owner = accountId === undefined ? [] : [accountId];
  return db.get<StoredEvent>(
    `SELECT ${EVENT_COLUMNS} FROM events
     WHERE ${owner.length ? 'account_id = ? AND' : ''} position > ? AND type = ?
     ORDER BY position LIMIT 1`,
    ...owner,
    after,
    type,
  );
}

/** A filter for what follows a position, of one type, and of one account or of all. */
export interface Following {
  type: EventType;
  accountId: string | undefined;
  after: number;
}
