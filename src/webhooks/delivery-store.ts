import type { Reader, Transaction } from '../database/transaction.ts';
import { type DeliveryFault, SPURIOUS_FAULTS } from './delivery-fault.ts';
import type { Following, Slice } from './event-store.ts';
import type { EventType } from './event-types.ts';

export const DELIVERY_STATES = ['due', 'attempted', 'delivered', 'failed'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATES)[number];

/** A delivery as it is kept. `attemptedAt` is the machine's time, `created` the emulator's, both in milliseconds. */
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

const COLUMNS = `deliveries.id, event_id AS eventId, events.type AS type,
  events.request_id AS requestId,
  deliveries.account_id AS accountId, endpoint_id AS endpointId, url, status,
  redelivery_of AS redeliveryOf, fault, signature, attempted_at AS attemptedAt,
  duration_ms AS durationMs, response_status AS responseStatus, response_body AS responseBody, error,
  deliveries.created AS created`;
const FROM = 'FROM deliveries JOIN events ON events.id = deliveries.event_id';

export interface NewDelivery {
  id: string;
  eventId: string;
  endpointId: string;
  url: string;
  accountId: string;
  redeliveryOf: string | null;
  fault: DeliveryFault | null;
}

export function insertDelivery(tx: Transaction, delivery: NewDelivery): void {
  tx.run(
    `INSERT INTO deliveries
       (id, event_id, account_id, endpoint_id, url, status, redelivery_of, fault, created)
     VALUES (?, ?, ?, ?, ?, 'due', ?, ?, ?)`,
    delivery.id,
    delivery.eventId,
    delivery.accountId,
    delivery.endpointId,
    delivery.url,
    delivery.redeliveryOf,
    delivery.fault,
    tx.now,
  );
}

/** Forgets all but the newest `kept` deliveries, so many of the oldest at once; what is due or in flight stays. */
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

export function readDelivery(db: Reader, id: string): StoredDelivery | undefined {
  return db.get<StoredDelivery>(`SELECT ${COLUMNS} ${FROM} WHERE deliveries.id = ?`, id);
}

/** Newest first. A state stands in the statement itself: so its index is known. */
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

/** Where a delivery stands in the list. */
export function readDeliveryPosition(db: Reader, id: string): number | undefined {
  const sql = 'SELECT position FROM deliveries WHERE id = ?';
  return db.get<{ position: number }>(sql, id)?.position;
}

/** Faults as the right side of an `IN`. */
export function faultList(faults: readonly string[]): string {
  return `(${faults.map((fault) => `'${fault}'`).join(', ')})`;
}

const GENUINE = `AND (fault IS NULL OR fault NOT IN ${faultList(SPURIOUS_FAULTS)})`;

/** The first that follows and is final; with `genuine`, of those that are. */
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

/** Where the last delivery stands that was first made for an event before this one; 0 when there is none. */
export function readLastPositionBefore(db: Reader, eventPosition: number): number {
  const sql = `SELECT deliveries.position AS position ${FROM}
    WHERE events.position < ? AND redelivery_of IS NULL
    ORDER BY deliveries.position DESC LIMIT 1`;
  return db.get<{ position: number }>(sql, eventPosition)?.position ?? 0;
}
