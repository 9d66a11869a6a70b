import type { EventType } from '../../../engine/webhooks/event-schemas.ts';

export type { EndpointRecord as Endpoint } from '../../../control/endpoints.ts';
export type { HeldInbox, Message } from '../../../engine/webhooks/inbox-message.ts';
export type { DeliveryRecord as Delivery } from '../../../engine/webhooks/webhook-records.ts';
export type { EventType };

const LISTED: Record<EventType, true> = {
  'image.generation.succeeded': true,
  'image.generation.failed': true,
  'video.generation.succeeded': true,
  'video.generation.failed': true,
  'music.generation.succeeded': true,
  'music.generation.failed': true,
  'flow.run.succeeded': true,
  'flow.run.failed': true,
  'flow.run.waiting': true,
};

/** Every event type, in the order of the service's documentation. */
export const EVENT_TYPES = Object.keys(LISTED) as EventType[];

const INBOX = /^\/_emulator\/inbox\/([A-Za-z0-9_-]{1,64})\/?$/;

/** The name of the built-in inbox at which a URL of this machine leads. */
export function inboxOf(url: string): string | undefined {
  return URL.canParse(url) ? INBOX.exec(new URL(url).pathname)?.[1] : undefined;
}
