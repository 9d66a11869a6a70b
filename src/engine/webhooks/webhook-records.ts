import { z } from 'zod';
import { isoTime, unixSeconds } from '../../base/clock/clock.ts';
import { findPosition, resolveCursorPosition } from '../../base/database/list-queries.ts';
import type { Reader } from '../../base/database/reader.ts';
import { invalidRequestError, quoted } from '../../base/errors.ts';
import { DELIVERY_FAULTS } from '../faults/delivery-fault-table.ts';
import { isGenuineDelivery } from './apply-delivery-fault.ts';
import {
  DELIVERY_STATUSES,
  type DeliveryStatus,
  readDelivery,
  readEvent,
  type StoredDelivery,
  type StoredEvent,
} from './delivery-store.ts';
import { EVENT_TYPES, envelopeSchema, type ServiceEventType } from './event-schemas.ts';
import {
  lastDeliveryPositionBeforeEvent,
  type NextEventQuery,
  readDeliveries,
  readEvents,
  readNextEvent,
  readNextFinishedDelivery,
} from './webhook-list-store.ts';

export const eventRecordSchema = z.strictObject({
  id: z.string(),
  type: z.enum(EVENT_TYPES),
  account_id: z.string(),
  workspace_id: z.string(),
  created: z.int(),
  envelope: envelopeSchema,
});

export type EventRecord = z.infer<typeof eventRecordSchema>;

/**
 * `attempted_at` is the machine's time; `created` is in unix seconds of the emulator's clock; `response_body` is cut at
 * 4 KiB.
 */
export const deliveryRecordSchema = z.strictObject({
  id: z.string(),
  event_id: z.string(),
  type: z.enum(EVENT_TYPES),
  account_id: z.string(),
  endpoint_id: z.string(),
  url: z.string(),
  status: z.enum(DELIVERY_STATUSES),
  redelivery_of: z.string().nullable(),
  fault: z.enum(DELIVERY_FAULTS).nullable(),
  attempted_at: z.string().nullable(),
  duration_ms: z.int().nullable(),
  response_status: z.int().nullable(),
  response_body: z.string().nullable(),
  signature: z.string().nullable(),
  error: z.string().nullable(),
  created: z.int(),
});

export type DeliveryRecord = z.infer<typeof deliveryRecordSchema>;

export const deliveryWithEnvelopeSchema = deliveryRecordSchema.extend({ envelope: envelopeSchema });

export type DeliveryWithEnvelope = z.infer<typeof deliveryWithEnvelopeSchema>;

const LISTED = 'an item of this list';

export interface RecordPageQuery {
  accountId?: string | undefined;
  after?: string | undefined;
  limit: number;
}

export function listEvents(db: Reader, page: RecordPageQuery): EventRecord[] {
  const before = resolveCursorPosition(db, 'events', page.after, LISTED);
  return readEvents(db, { ...page, before }).map(toEventRecord);
}

export function listDeliveries(db: Reader, page: DeliveryPageQuery): DeliveryRecord[] {
  const before = resolveCursorPosition(db, 'deliveries', page.after, LISTED);
  return readDeliveries(db, { ...page, before }).map(toDeliveryRecord);
}

export function findDelivery(db: Reader, id: string): DeliveryWithEnvelope | undefined {
  const delivery = readDelivery(db, id);
  const event = delivery && readEvent(db, delivery.eventId);
  return event && { ...toDeliveryRecord(delivery), envelope: JSON.parse(event.body) };
}

export interface DeliveryPageQuery extends RecordPageQuery {
  status?: DeliveryStatus | undefined;
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

/** `after` is the id of an event or a delivery. */
interface EventFilter {
  type: ServiceEventType;
  accountId?: string | undefined;
  after?: string | undefined;
}

interface DeliveryFilter extends EventFilter {
  genuine: boolean;
}

export interface NextRecordFinder<Record> {
  first(): Record | undefined;
  matching(id: string): Record | undefined;
}

/** Throws `invalid_request` if `after` is the id of neither an event nor a delivery. */
export function createNextEventFinder(db: Reader, filter: EventFilter): NextRecordFinder<EventRecord> {
  const following = followingOf(filter, (id) => {
    const delivery = readDelivery(db, id);
    return findPosition(db, 'events', delivery?.eventId ?? id);
  });
  return {
    first() {
      const event = readNextEvent(db, following);
      return event && toEventRecord(event);
    },
    matching(id) {
      const event = readEvent(db, id);
      return event && toEventRecord(event);
    },
  };
}

/** If `after` is an event, its own deliveries count too. Throws as `createNextEventFinder` does. */
export function createNextFinishedDeliveryFinder(db: Reader, filter: DeliveryFilter): NextRecordFinder<DeliveryRecord> {
  const { genuine } = filter;
  const following = followingOf(filter, (id) => {
    const event = findPosition(db, 'events', id);
    return event === undefined ? findPosition(db, 'deliveries', id) : lastDeliveryPositionBeforeEvent(db, event);
  });
  return {
    first() {
      const delivery = readNextFinishedDelivery(db, { ...following, genuine });
      return delivery && toDeliveryRecord(delivery);
    },
    matching(id) {
      const position = findPosition(db, 'deliveries', id) ?? 0;
      const delivery = position > following.after ? readDelivery(db, id) : undefined;
      const counts = delivery && (!genuine || (delivery.status === 'delivered' && isGenuineDelivery(delivery)));
      return counts ? toDeliveryRecord(delivery) : undefined;
    },
  };
}

function followingOf(
  { type, accountId, after }: EventFilter,
  positionOf: (id: string) => number | undefined,
): NextEventQuery {
  const position = after === undefined ? 0 : positionOf(after);
  if (position !== undefined) return { type, accountId, after: position };
  throw invalidRequestError(
    'after',
    `after must be the id of an event or a delivery, not ${quoted(after ?? '')}. GET /_emulator/events and GET /_emulator/deliveries list them.`,
  );
}
