import type { Reader, Transaction } from '../database/transaction.ts';
import type { DeliveryFault } from './delivery-fault.ts';
import type { EventType } from './event-types.ts';

/** A delivery whose turn will come. */
export interface DueDelivery {
  id: string;
  eventId: string;
  accountId: string;
  fault: DeliveryFault | null;
}

/** A delivery whose attempt is on record and about to be made. */
export interface ClaimedDelivery {
  eventId: string;
  url: string;
}

/** What an attempt came to. `signature` is null when nothing was sent, `responseStatus` when nothing was answered. */
export interface Outcome {
  status: 'delivered' | 'failed';
  signature: string | null;
  durationMs: number;
  responseStatus: number | null;
  responseBody: string | null;
  error: string | null;
}

/** Enough to tell others that a delivery is final. */
export interface ClosedDelivery {
  id: string;
  eventId: string;
  type: EventType;
  accountId: string;
  status: 'delivered' | 'failed';
}

/** Repeated in every query of what is due or in flight, for only so does SQLite use the index of these. */
const OPEN = `status IN ('due', 'attempted')`;

const CLOSED = `id, event_id AS eventId, account_id AS accountId, status,
  (SELECT type FROM events WHERE events.id = event_id) AS type`;

/** The two that an endpoint is owed first, but for those that stand aside. */
export function readDue(db: Reader, endpointId: string, aside: readonly string[] = []): DueDelivery[] {
  const others = aside.length === 0 ? '' : 'AND id NOT IN (SELECT value FROM json_each(?))';
  return db.all<DueDelivery>(
    `SELECT id, event_id AS eventId, account_id AS accountId, fault FROM deliveries
     WHERE ${OPEN} AND endpoint_id = ? AND status = 'due' ${others} ORDER BY position LIMIT 2`,
    endpointId,
    ...(aside.length === 0 ? [] : [JSON.stringify(aside)]),
  );
}

/** The signature header under which an event came to an endpoint first, if it did. */
export function readFirstSignature(db: Reader, eventId: string, endpointId: string): string | null {
  const sql = `SELECT signature FROM deliveries
    WHERE event_id = ? AND endpoint_id = ? AND signature IS NOT NULL ORDER BY position LIMIT 1`;
  return db.get<{ signature: string }>(sql, eventId, endpointId)?.signature ?? null;
}

/** Has a due delivery be spoilt. */
export function markFault(tx: Transaction, id: string, fault: DeliveryFault): void {
  tx.run("UPDATE deliveries SET fault = ? WHERE id = ? AND status = 'due'", fault, id);
}

/** Puts the attempt at a due delivery on record; `real` is the machine's time. Undefined when it is due no more. */
export function claim(tx: Transaction, id: string, real: number): ClaimedDelivery | undefined {
  return tx.get<ClaimedDelivery>(
    `UPDATE deliveries SET status = 'attempted', attempted_at = ?
     WHERE id = ? AND status = 'due' RETURNING event_id AS eventId, url`,
    real,
    id,
  );
}

/** Takes the fault off a delivery. */
export function clearFault(tx: Transaction, id: string): void {
  tx.run('UPDATE deliveries SET fault = NULL WHERE id = ?', id);
}

/** Gives a due delivery up before its attempt. */
export function failUnsent(tx: Transaction, id: string, error: string): ClosedDelivery[] {
  return tx.all<ClosedDelivery>(
    `UPDATE deliveries SET status = 'failed', error = ? WHERE id = ? AND status = 'due'
     RETURNING ${CLOSED}`,
    error,
    id,
  );
}

/** Undefined when the delivery is not in flight. */
export function closeDelivery(tx: Transaction, id: string, outcome: Outcome): ClosedDelivery | undefined {
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

/** Gives up what an endpoint was still owed. */
export function failDue(tx: Transaction, endpointId: string, error: string): ClosedDelivery[] {
  return tx.all<ClosedDelivery>(
    `UPDATE deliveries SET status = 'failed', error = ?
     WHERE ${OPEN} AND endpoint_id = ? AND status = 'due'
     RETURNING ${CLOSED}`,
    error,
    endpointId,
  );
}

/** Gives up what was in flight when the process died. */
export function failAttempted(tx: Transaction, error: string): ClosedDelivery[] {
  return tx.all<ClosedDelivery>(
    `UPDATE deliveries SET status = 'failed', error = ? WHERE ${OPEN} AND status = 'attempted'
     RETURNING ${CLOSED}`,
    error,
  );
}

/** Gives up everything that is due or in flight. */
export function failOpen(tx: Transaction, error: string): void {
  tx.run(`UPDATE deliveries SET status = 'failed', error = ? WHERE ${OPEN}`, error);
}

/** The endpoints that are owed something. */
export function readOwed(db: Reader): string[] {
  return db
    .all<{ id: string }>(`SELECT DISTINCT endpoint_id AS id FROM deliveries WHERE ${OPEN} AND status = 'due'`)
    .map(({ id }) => id);
}

/** How many are due or in flight, of all accounts or of one. */
export function countOpen(db: Reader, accountId?: string): number {
  const sql = `SELECT COUNT(*) AS n FROM deliveries
    WHERE ${OPEN} AND account_id = COALESCE(?, account_id)`;
  return db.get<{ n: number }>(sql, accountId ?? null)?.n ?? 0;
}

/** Whether any delivery of these events is due or in flight. */
export function hasOpen(db: Reader, eventIds: readonly string[]): boolean {
  const sql = `SELECT 1 AS found FROM deliveries
    WHERE ${OPEN} AND event_id IN (SELECT value FROM json_each(?)) LIMIT 1`;
  return db.get(sql, JSON.stringify(eventIds)) !== undefined;
}
