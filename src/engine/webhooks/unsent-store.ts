import type { Reader, Transaction } from '../../base/database/transaction.ts';
import type { EventType } from './event-schemas.ts';

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

/** Fails a due delivery without an attempt. */
export function failUnsent(tx: Transaction, id: string, error: string): ClosedDelivery[] {
  return tx.all<ClosedDelivery>(
    `UPDATE deliveries SET status = 'failed', error = ? WHERE id = ? AND status = 'due'
     RETURNING ${CLOSED}`,
    error,
    id,
  );
}

/** Fails all due deliveries of an endpoint. */
export function failDue(tx: Transaction, endpointId: string, error: string): ClosedDelivery[] {
  return tx.all<ClosedDelivery>(
    `UPDATE deliveries SET status = 'failed', error = ?
     WHERE ${OPEN} AND endpoint_id = ? AND status = 'due'
     RETURNING ${CLOSED}`,
    error,
    endpointId,
  );
}

/** Fails the deliveries that were in flight when the process ended. */
export function failAttempted(tx: Transaction, error: string): ClosedDelivery[] {
  return tx.all<ClosedDelivery>(
    `UPDATE deliveries SET status = 'failed', error = ? WHERE ${OPEN} AND status = 'attempted'
     RETURNING ${CLOSED}`,
    error,
  );
}

/** Fails everything that is due or in flight. */
export function failOpen(tx: Transaction, error: string): void {
  tx.run(`UPDATE deliveries SET status = 'failed', error = ? WHERE ${OPEN}`, error);
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

/** A final delivery, as listeners get it. */
export interface ClosedDelivery {
  id: string;
  eventId: string;
  type: EventType;
  accountId: string;
  status: 'delivered' | 'failed';
}

/** Repeated in every query of due or attempted deliveries: SQLite uses their partial index only with these words. */
export const OPEN = `status IN ('due', 'attempted')`;

export const CLOSED = `id, event_id AS eventId, account_id AS accountId, status,
  (SELECT type FROM events WHERE events.id = event_id) AS type`;

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
