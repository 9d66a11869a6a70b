import { isoTime, unixSeconds } from '../clock/clock.ts';
import { departed } from '../database/departed-store.ts';
import type { Reader } from '../database/transaction.ts';
import { invalid } from '../errors.ts';
import type { DeliveryFault } from './delivery-fault.ts';
import { type DeliveryStatus, readDeliveries, readDeliveryPosition, type StoredDelivery } from './delivery-store.ts';
import { readEventPosition, readEvents, type Slice, type StoredEvent } from './event-store.ts';
import type { Envelope, EventType } from './event-types.ts';

/** An event as the emulator's own surface shows it; `created` in unix seconds of the emulator's clock. */
export interface EventRecord {
  id: string;
  type: EventType;
  account_id: string;
  workspace_id: string;
  created: number;
  envelope: Envelope;
}

/**
 * A delivery as the emulator's own surface shows it. `attempted_at` is the machine's time, null until attempted;
 * `created` is in unix seconds of the emulator's clock; `response_body` is cut at 4 KiB.
 */
export interface DeliveryRecord {
  id: string;
  event_id: string;
  type: EventType;
  account_id: string;
  endpoint_id: string;
  url: string;
  status: DeliveryStatus;
  redelivery_of: string | null;
  /** How a fault rule spoils it. */
  fault: DeliveryFault | null;
  attempted_at: string | null;
  duration_ms: number | null;
  response_status: number | null;
  response_body: string | null;
  signature: string | null;
  error: string | null;
  created: number;
}

/** Which of a list, newest first. `after` is the id of the last one seen. */
export interface Page {
  accountId?: string;
  after?: string;
  limit: number;
}

/** Throws `invalid_request` when `after` is no event's id. */
export function listEvents(db: Reader, page: Page): EventRecord[] {
  return readEvents(
    db,
    slice(page, (id) => readEventPosition(db, id) ?? departed(db, id)?.position),
  ).map(toEventRecord);
}

/** Throws `invalid_request` when `after` is no delivery's id. */
export function listDeliveries(db: Reader, page: Page): DeliveryRecord[] {
  return readDeliveries(
    db,
    slice(page, (id) => readDeliveryPosition(db, id) ?? departed(db, id)?.position),
  ).map(toDeliveryRecord);
}

function slice({ accountId, after, limit }: Page, positionOf: (id: string) => number | undefined): Slice {
  if (after === undefined) return { accountId, before: Number.MAX_SAFE_INTEGER, limit };
  const before = positionOf(after);
  if (before !== undefined) return { accountId, before, limit };
  throw invalid(
    'after',
    `after names nothing in this list: "${after.slice(0, 80)}". Give the id of the last item of the page before.`,
  );
}

export function toEventRecord(event: StoredEvent): EventRecord {
  return {
    id: event.id,
    type: event.type,
    account_id: event.accountId,
    workspace_id: event.workspaceId,
    created: unixSeconds(event.created),
    envelope: JSON.parse(event.body),
  };
}

export function toDeliveryRecord(delivery: StoredDelivery): DeliveryRecord {
  const { attemptedAt } = delivery;
  return {
    id: delivery.id,
    event_id: delivery.eventId,
    type: delivery.type,
    account_id: delivery.accountId,
    endpoint_id: delivery.endpointId,
    url: delivery.url,
    status: delivery.status,
    redelivery_of: delivery.redeliveryOf,
    fault: delivery.fault,
    attempted_at: attemptedAt === null ? null : isoTime(attemptedAt),
    duration_ms: delivery.durationMs,
    response_status: delivery.responseStatus,
    response_body: delivery.responseBody,
    signature: delivery.signature,
    error: delivery.error,
    created: unixSeconds(delivery.created),
  };
}
