import { positionOf } from '../../base/database/setting-store.ts';
import type { Reader } from '../../base/database/transaction.ts';
import { invalid, quoted } from '../../base/errors.ts';
import { isGenuine } from './delivery-fault.ts';
import { type Following, readDelivery, readLastPositionBefore, readNextEvent } from './delivery-store.ts';
import type { EventType } from './event-schemas.ts';
import { readEvent } from './outbox-store.ts';
import { readNextClosed } from './trail-store.ts';
import { type DeliveryRecord, type EventRecord, toDeliveryRecord, toEventRecord } from './webhook-records.ts';

/** `after` is the id of an event or a delivery. */
export interface EventFilter {
  type: EventType;
  accountId?: string | undefined;
  after?: string | undefined;
}

export interface DeliveryFilter extends EventFilter {
  genuine: boolean;
}

export interface EventQueries<Record> {
  first(): Record | undefined;
  matching(id: string): Record | undefined;
}

/** Throws `invalid_request` if `after` is the id of neither an event nor a delivery. */
export function matchingEvents(db: Reader, filter: EventFilter): EventQueries<EventRecord> {
  const following = followingOf(filter, (id) => {
    const delivery = readDelivery(db, id);
    return positionOf(db, 'events', delivery?.eventId ?? id);
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

/** Throws as `matchingEvents` does. The deliveries after an event include its own. */
export function matchingDeliveries(db: Reader, filter: DeliveryFilter): EventQueries<DeliveryRecord> {
  const { genuine } = filter;
  const following = followingOf(filter, (id) => {
    const event = positionOf(db, 'events', id);
    return event === undefined ? positionOf(db, 'deliveries', id) : readLastPositionBefore(db, event);
  });
  return {
    first() {
      const delivery = readNextClosed(db, { ...following, genuine });
      return delivery && toDeliveryRecord(delivery);
    },
    matching(id) {
      const position = positionOf(db, 'deliveries', id) ?? 0;
      const delivery = position > following.after ? readDelivery(db, id) : undefined;
      return delivery && (!genuine || isGenuine(delivery)) ? toDeliveryRecord(delivery) : undefined;
    },
  };
}

function followingOf(
  { type, accountId, after }: EventFilter,
  positionOf: (id: string) => number | undefined,
): Following {
  const position = after === undefined ? 0 : positionOf(after);
  if (position !== undefined) return { type, accountId, after: position };
  throw invalid(
    'after',
    `after must be the id of an event or of a delivery; ${quoted(after ?? '')} is none. GET /_emulator/events and GET /_emulator/deliveries list them.`,
  );
}
