import type { Reader } from '../../base/database/reader.ts';

interface FailedJob {
  id: string;
  accountId: string;
  model: string;
  code: string;
  message: string;
  asked: 0 | 1;
}

export function readFailedJobs(db: Reader): FailedJob[] {
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
  /** Null if no fault changed the delivery. */
  fault: string | null;
  status: number | null;
  error: string | null;
}

export function readFailedDeliveries(db: Reader): LostDelivery[] {
  return db.all<LostDelivery>(
    `SELECT deliveries.id AS id, deliveries.account_id AS accountId, events.type AS type, url,
       deliveries.fault AS fault, response_status AS status, error
     FROM deliveries JOIN events ON events.id = deliveries.event_id
     WHERE deliveries.status = 'failed' ORDER BY deliveries.position`,
  );
}

export function readEventTypes(db: Reader): string[] {
  return db.all<{ type: string }>('SELECT DISTINCT type FROM events').map(({ type }) => type);
}
