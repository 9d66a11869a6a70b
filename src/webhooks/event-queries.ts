import type { Reader } from '../database/transaction.ts';
import { invalid } from '../errors.ts';
import { isGenuine } from './delivery-fault.ts';
import { readDelivery, readDeliveryPosition, readLastPositionBefore, readNextClosed } from './delivery-store.ts';
import { type Following, readEvent, readEventPosition, readNextEvent } from './event-store.ts';
import type { EventType } from './event-types.ts';
import { type DeliveryRecord, type EventRecord, toDeliveryRecord, toEventRecord } from './webhook-records.ts';

/** Which events or final deliveries are meant. `after` is an event's or a delivery's id. */
export interface Meant {
  type: EventType;
  accountId?: string | undefined;
  after?: string | undefined;
}

/** As `Meant`; `genuine`: of genuine deliveries only. */
export interface MeantDeliveries extends Meant {
  genuine: boolean;
}

/** The first of a kind, and whether a later one is meant too, once it is told of by its id. */
export interface EventQueries<Record> {
  first(): Record | undefined;
  told(id: string): Record | undefined;
}

/** Throws `invalid_request` when `after` names neither an event nor a delivery. */
export function eventsMeant(db: Reader, meant: Meant): EventQueries<EventRecord> {
  const following = followingOf(meant, (id) => {
    const delivery = readDelivery(db, id);
    return readEventPosition(db, delivery?.eventId ?? id);
  });
  return {
    first() {
      const event = readNextEvent(db, following);
      return event && toEventRecord(event);
    },
    told(id) {
      const event = readEvent(db, id);
      return event && toEventRecord(event);
    },
  };
}

/** Throws as `eventsMeant` does. After an event come its own deliveries and those of later ones. */
export function deliveriesMeant(db: Reader, meant: MeantDeliveries): EventQueries<DeliveryRecord> {
  const { genuine } = meant;
  const following = followingOf(meant, (id) => {
    const event = readEventPosition(db, id);
    return event === undefined ? readDeliveryPosition(db, id) : readLastPositionBefore(db, event);
  });
  return {
    first() {
      const delivery = readNextClosed(db, { ...following, genuine });
      return delivery && toDeliveryRecord(delivery);
    },
    told(id) {
      const position = readDeliveryPosition(db, id) ?? 0;
      const delivery = position > following.after ? readDelivery(db, id) : undefined;
      return delivery && (!genuine || isGenuine(delivery)) ? toDeliveryRecord(delivery) : undefined;
    },
  };
}

function followingOf({ type, accountId, after }: Meant, positionOf: (id: string) => number | undefined): Following {
  const position = after === undefined ? 0 : positionOf(after);
  if (position !== undefined) return { type, accountId, after: position };
  throw invalid(
    'after',
    `after must be the id of an event or of a delivery; "${after?.slice(0, 80)}" is none. GET /_emulator/events and GET /_emulator/deliveries list them.`,
  );
}
