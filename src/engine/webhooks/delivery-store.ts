import type { Reader, Transaction } from '../../base/database/transaction.ts';
import { EmulatorError, quoted } from '../../base/errors.ts';
import type { DeliveryFault } from './delivery-fault.ts';
import type { EventType } from './event-schemas.ts';
import { CLOSED, type ClosedDelivery, EVENT_COLUMNS, OPEN, type StoredEvent } from './outbox-store.ts';

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

/** The newest bodies of a type in a workspace, of one flow when it is given. */
export function readRecentBodies(
  db: Reader,
  of: { workspaceId: string; type: EventType; flowId?: string },
  limit: number,
): string[] {
  const { workspaceId, type, flowId } = of;
  const rows = db.all<{ body: string }>(
    `SELECT body FROM events WHERE workspace_id = ? AND type = ? AND flow_id IS COALESCE(?, flow_id)
       AND COALESCE(violation, '') NOT LIKE '%event.none%'
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

/** Deletes the oldest events up to a position that have no delivery on record, at most `limit`. */
export function forgetEvents(tx: Transaction, through: number, limit: number): void {
  tx.run(
    `DELETE FROM events WHERE position IN (
       SELECT position FROM events WHERE position <= ?
         AND NOT EXISTS (SELECT 1 FROM deliveries WHERE event_id = events.id)
       ORDER BY position LIMIT ?)`,
    through,
    limit,
  );
}

/** Deletes the oldest deliveries beyond the newest `kept`, at most `limit`; what is due or in flight stays. */
export function forgetDeliveries(tx: Transaction, kept: number, limit: number): void {
  tx.run(
    `DELETE FROM deliveries WHERE position IN (
       SELECT position FROM deliveries
       WHERE position <= (SELECT MAX(position) FROM deliveries) - ? AND status IN ('delivered', 'failed')
       ORDER BY position LIMIT ?)`,
    kept,
    limit,
  );
}

/** Fails without another attempt what is due or in flight, or of it what is named. */
export function failOpen(
  tx: Transaction,
  error: string,
  of: { id?: string; endpointId?: string; status?: 'due' | 'attempted' } = {},
): ClosedDelivery[] {
  const named: [string, string | undefined][] = [
    ['id = ?', of.id],
    ['endpoint_id = ?', of.endpointId],
    ['status = ?', of.status],
  ];
  const given = named.flatMap(([text, value]) => (value === undefined ? [] : [{ text: `AND ${text}`, value }]));
  return tx.all<ClosedDelivery>(
    `UPDATE deliveries SET status = 'failed', error = ?
     WHERE ${OPEN} ${given.map(({ text }) => text).join(' ')} RETURNING ${CLOSED}`,
    error,
    ...given.map(({ value }) => value),
  );
}

/** How many are due or in flight, of all accounts or of one. */
export function countOpen(db: Reader, accountId?: string): number {
  const sql = `SELECT COUNT(*) AS n FROM deliveries
    WHERE ${OPEN} AND account_id = COALESCE(?, account_id)`;
  return db.get<{ n: number }>(sql, accountId ?? null)?.n ?? 0;
}

/** The endpoints that have due deliveries. */
export function endpointsWithDue(db: Reader): string[] {
  return db
    .all<{ id: string }>(`SELECT DISTINCT endpoint_id AS id FROM deliveries WHERE ${OPEN} AND status = 'due'`)
    .map(({ id }) => id);
}

/** Whether any delivery of these events is due or in flight. */
export function hasOpen(db: Reader, eventIds: readonly string[]): boolean {
  const sql = `SELECT 1 AS found FROM deliveries
    WHERE ${OPEN} AND event_id IN (SELECT value FROM json_each(?)) LIMIT 1`;
  return db.get(sql, JSON.stringify(eventIds)) !== undefined;
}

/** A committed change: an event was recorded, or a delivery has become final. */
export type WebhookChange =
  | { kind: 'event'; id: string; type: EventType; accountId: string }
  | ({ kind: 'delivery' } & ClosedDelivery);

export type WebhookListener = (change: WebhookChange) => void;

/** The signature header of the first delivery of an event to an endpoint, if there was one. */
export function readFirstSignature(db: Reader, eventId: string, endpointId: string): string | null {
  const sql = `SELECT signature FROM deliveries
    WHERE event_id = ? AND endpoint_id = ? AND signature IS NOT NULL ORDER BY position LIMIT 1`;
  return db.get<{ signature: string }>(sql, eventId, endpointId)?.signature ?? null;
}

/** Sets the fault of a due delivery. */
export function markFault(tx: Transaction, id: string, fault: DeliveryFault): void {
  tx.run("UPDATE deliveries SET fault = ? WHERE id = ? AND status = 'due'", fault, id);
}

/** Removes the fault of a delivery. */
export function clearFault(tx: Transaction, id: string): void {
  tx.run('UPDATE deliveries SET fault = NULL WHERE id = ?', id);
}

export function endpointGone(id: string): EmulatorError {
  return new EmulatorError(
    'conflict',
    `The endpoint ${id} of this delivery was deleted, and nothing reaches its URL again. Create it anew with POST /v1/webhooks and send a new event with POST /_emulator/events/trigger.`,
  );
}

export function noDelivery(id: string): EmulatorError {
  return new EmulatorError('not_found', `There is no delivery ${quoted(id)}. GET /_emulator/deliveries lists them.`);
}
