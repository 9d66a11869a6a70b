import type { Transaction } from '../../base/database/transaction.ts';
import { type DeliveryContent, type DeliveryFault, faultyContent } from './delivery-fault.ts';
import type { Outcome, StoredEndpoint, StoredEvent } from './outbox-store.ts';

/** An event as it is recorded and sent; a silent one is on record only. */
export interface PublishedEvent {
  event: StoredEvent;
  isSilent: boolean;
}

/** What is sent: `signed` is the body that the signature is of, where that is another. */
export type SignedContent = DeliveryContent & { signed?: string };

/** What becomes of an event on its way to the endpoints of its workspace. */
export interface Outbox {
  publish(tx: Transaction, event: StoredEvent): PublishedEvent;
  /** One delivery to the endpoint for each fault, null for one without; `planned` are those of the request that led to it. */
  deliver(event: StoredEvent, endpoint: StoredEndpoint, planned: (DeliveryFault | null)[]): (DeliveryFault | null)[];
  /** What a delivery with a fault sends. */
  content(tx: Transaction, event: StoredEvent, delivery: { id: string; fault: DeliveryFault }): SignedContent;
  /** In the transaction that records an attempt. */
  attempted(tx: Transaction, eventId: string, outcome: Outcome): void;
}

/** Sends events as they are, with the faults of their requests. */
export const plainOutbox: Outbox = {
  publish: (_tx, event) => ({ event, isSilent: false }),
  deliver: (_event, _endpoint, planned) => planned,
  content: (_tx, { id: eventId, body }, { id, fault }) => faultyContent({ eventId, body }, fault, id),
  attempted() {},
};
