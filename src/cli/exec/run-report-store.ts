import type { Reader } from '../../base/database/transaction.ts';

interface FailedJob {
  id: string;
  accountId: string;
  model: string;
  code: string;
  message: string;
  /** 1: a test asked for it. */
  asked: 0 | 1;
}

/** Renders that failed, oldest first. */
export function failedWork(db: Reader): FailedJob[] {
  return db.all<FailedJob>(
    `SELECT id, account_id AS accountId, model, result ->> '$.error.code' AS code,
       result ->> '$.error.message' AS message, COALESCE(outcome ->> '$.error.asked', 0) AS asked
     FROM jobs WHERE status = 'failed' ORDER BY position`,
  );
}

interface LostDelivery {
  id: string;
  accountId: string;
  type: string;
  url: string;
  /** What was sent was spoilt on purpose, as JSON. */
  fault: string | null;
  /** Of the answer, where there was one. */
  status: number | null;
  error: string | null;
}

/** Deliveries that ended without 2xx, oldest first. */
export function lostDeliveries(db: Reader): LostDelivery[] {
  return db.all<LostDelivery>(
    `SELECT deliveries.id AS id, deliveries.account_id AS accountId, events.type AS type, url,
       deliveries.fault AS fault, response_status AS status, error
     FROM deliveries JOIN events ON events.id = deliveries.event_id
     WHERE deliveries.status = 'failed' ORDER BY deliveries.position`,
  );
}

/** The types of all events on record. */
export function recordedEventTypes(db: Reader): string[] {
  return db.all<{ type: string }>('SELECT DISTINCT type FROM events').map(({ type }) => type);
}
