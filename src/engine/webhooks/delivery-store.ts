import { nextId } from '../../base/database/id-store.ts';
import { conditionsWithValues, readIds } from '../../base/database/list-queries.ts';
import type { Reader } from '../../base/database/reader.ts';
import { integer, type RowOf, rowId, table, text } from '../../base/database/table.ts';
import type { Transaction } from '../../base/database/transaction.ts';
import type { Random } from '../../base/random.ts';
import type { DeliveryFault } from '../faults/delivery-fault-table.ts';
import type { StoredEndpoint } from './endpoint-store.ts';
import type { ServiceEventType } from './event-schemas.ts';

export const events = table('events', {
  position: rowId,
  id: text,
  workspaceId: text,
  accountId: text,
  type: text.of<ServiceEventType>(),
  flowId: text.nullable(),
  jobId: text.nullable(),
  /** The exact text that is signed and sent, unless a fault changes it. */
  body: text,
  created: integer,
  runId: text.nullable(),
  requestId: text.nullable(),
});

export type StoredEvent = RowOf<typeof events>;

export function readEvent(db: Reader, id: string): StoredEvent | undefined {
  return events.get(db, `${events.select} WHERE id = ?`, id);
}

export function deleteOldEventsWithoutDeliveries(tx: Transaction, through: number, limit: number): void {
  tx.run(
    `DELETE FROM events WHERE position IN (
       SELECT position FROM events WHERE position <= ?
         AND NOT EXISTS (SELECT 1 FROM deliveries WHERE event_id = events.id)
       ORDER BY position LIMIT ?)`,
    through,
    limit,
  );
}

export const DELIVERY_STATUSES = ['due', 'attempted', 'delivered', 'failed'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

export const deliveries = table('deliveries', {
  position: rowId,
  id: text,
  eventId: text,
  accountId: text,
  endpointId: text,
  url: text,
  status: text.of<DeliveryStatus>(),
  redeliveryOf: text.nullable(),
  signature: text.nullable(),
  /** The machine's time of the attempt, in milliseconds. */
  attemptedAt: integer.nullable(),
  durationMs: integer.nullable(),
  responseStatus: integer.nullable(),
  responseBody: text.nullable(),
  error: text.nullable(),
  created: integer,
  fault: text.of<DeliveryFault>().nullable(),
});

export type DeliveryEventColumns = Pick<StoredEvent, 'type' | 'requestId'>;

export type StoredDelivery = RowOf<typeof deliveries> & DeliveryEventColumns;

export const FROM_DELIVERIES = 'FROM deliveries JOIN events ON events.id = deliveries.event_id';
export const SELECT_DELIVERY = `SELECT ${deliveries.list}, events.type AS type, events.request_id AS requestId ${FROM_DELIVERIES}`;

export function readDelivery(db: Reader, id: string): StoredDelivery | undefined {
  return deliveries.get<DeliveryEventColumns>(db, `${SELECT_DELIVERY} WHERE deliveries.id = ?`, id);
}

export interface NewDelivery {
  event: Pick<StoredEvent, 'id' | 'accountId'>;
  endpoint: Pick<StoredEndpoint, 'id' | 'url'>;
  redeliveryOf: string | null;
  fault: DeliveryFault | null;
}

export function addDelivery(tx: Transaction, random: Random, delivery: NewDelivery): string {
  const { event, endpoint, redeliveryOf, fault } = delivery;
  const { id: eventId, accountId } = event;
  const { id: endpointId, url } = endpoint;
  const id = nextId(tx, random, 'delivery', accountId);
  const of = { eventId, accountId, endpointId, redeliveryOf };
  deliveries.insert(tx, { id, ...of, url, status: 'due', fault, created: tx.now });
  return id;
}

/** SQLite uses the partial index of open deliveries only if a query repeats this condition. */
export const OPEN_DELIVERY_SQL = `status IN ('due', 'attempted')`;

const due = deliveries.pick('id', 'eventId', 'accountId', 'fault');

export type DueDelivery = RowOf<typeof due>;

export function listEndpointIdsWithDueDeliveries(db: Reader): string[] {
  return readIds(db, `SELECT DISTINCT endpoint_id AS id FROM deliveries WHERE ${OPEN_DELIVERY_SQL} AND status = 'due'`);
}

export function readNextTwoDueDeliveries(db: Reader, endpointId: string, parked: readonly string[]): DueDelivery[] {
  const others = parked.length === 0 ? '' : 'AND id NOT IN (SELECT value FROM json_each(?))';
  return due.all(
    db,
    `${due.select} WHERE ${OPEN_DELIVERY_SQL} AND endpoint_id = ? AND status = 'due' ${others} ORDER BY position LIMIT 2`,
    endpointId,
    ...(parked.length === 0 ? [] : [JSON.stringify(parked)]),
  );
}

type ClaimedDelivery = Pick<StoredDelivery, 'eventId' | 'url'>;

/** Call it before the attempt. `real` is the machine's time. Undefined if the delivery is not due any more. */
export function claimDelivery(tx: Transaction, id: string, real: number): ClaimedDelivery | undefined {
  return tx.get<ClaimedDelivery>(
    `UPDATE deliveries SET status = 'attempted', attempted_at = ?
     WHERE id = ? AND status = 'due' RETURNING event_id AS eventId, url`,
    real,
    id,
  );
}

/** `responseStatus` and `responseBody` are null if no response came. */
export interface DeliveryOutcome
  extends Pick<StoredDelivery, 'signature' | 'responseStatus' | 'responseBody' | 'error'> {
  status: 'delivered' | 'failed';
  durationMs: number;
}

export interface ClosedDelivery extends Pick<StoredDelivery, 'id' | 'eventId' | 'type' | 'accountId'> {
  status: 'delivered' | 'failed';
}

const CLOSED = `id, event_id AS eventId, account_id AS accountId, status,
  (SELECT type FROM events WHERE events.id = event_id) AS type`;

export function closeDelivery(tx: Transaction, id: string, outcome: DeliveryOutcome): ClosedDelivery | undefined {
  return tx.get<ClosedDelivery>(
    `UPDATE deliveries SET status = ?, signature = ?, duration_ms = ?, response_status = ?,
       response_body = ?, error = ?
     WHERE id = ? AND status = 'attempted'
     RETURNING ${CLOSED}`,
    outcome.status,
    outcome.signature,
    outcome.durationMs,
    outcome.responseStatus,
    outcome.responseBody,
    outcome.error,
    id,
  );
}

export function failOpenDeliveries(
  tx: Transaction,
  error: string,
  of: { id?: string; endpointId?: string; status?: 'due' | 'attempted' } = {},
): ClosedDelivery[] {
  const [given, values] = conditionsWithValues(
    ['id = ?', of.id],
    ['endpoint_id = ?', of.endpointId],
    ['status = ?', of.status],
  );
  return tx.all<ClosedDelivery>(
    `UPDATE deliveries SET status = 'failed', error = ?
     WHERE ${given}${OPEN_DELIVERY_SQL} RETURNING ${CLOSED}`,
    error,
    ...values,
  );
}

export function hasOpenDeliveries(db: Reader, eventIds: readonly string[]): boolean {
  const sql = `SELECT 1 AS found FROM deliveries
    WHERE ${OPEN_DELIVERY_SQL} AND event_id IN (SELECT value FROM json_each(?)) LIMIT 1`;
  return db.get(sql, JSON.stringify(eventIds)) !== undefined;
}

export function readFirstSignature(db: Reader, eventId: string, endpointId: string): string | null {
  const sql = `SELECT signature FROM deliveries
    WHERE event_id = ? AND endpoint_id = ? AND signature IS NOT NULL ORDER BY position LIMIT 1`;
  return db.get<{ signature: string }>(sql, eventId, endpointId)?.signature ?? null;
}

export function writeDeliveryFault(tx: Transaction, id: string, fault: DeliveryFault): void {
  tx.run("UPDATE deliveries SET fault = ? WHERE id = ? AND status = 'due'", fault, id);
}

export function deleteOldClosedDeliveries(tx: Transaction, kept: number, limit: number): void {
  tx.run(
    `DELETE FROM deliveries WHERE position IN (
       SELECT position FROM deliveries
       WHERE position <= (SELECT MAX(position) FROM deliveries) - ? AND status IN ('delivered', 'failed')
       ORDER BY position LIMIT ?)`,
    kept,
    limit,
  );
}
