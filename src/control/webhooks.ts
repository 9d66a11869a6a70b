import { z } from 'zod';
import { DELIVERY_STATES, noDelivery } from '../engine/webhooks/delivery-store.ts';
import { EVENT_TYPES } from '../engine/webhooks/event-schemas.ts';
import { readEvent } from '../engine/webhooks/outbox-store.ts';
import { exampleData } from '../engine/webhooks/samples.ts';
import {
  type DeliveryRecord,
  deliveryRecord,
  eventRecord,
  findDelivery,
  listDeliveries,
  listEvents,
  toDeliveryRecord,
  toEventRecord,
  wholeDelivery,
} from '../engine/webhooks/webhook-records.ts';
import { optional } from '../service/http/input.ts';
import { operation } from '../service/http/operation.ts';
import { requireOwner } from './endpoints.ts';
import { accountPageQuery, foundPageQuery } from './list-page.ts';
import { Resource } from './resource.ts';

export const events = new Resource({
  what: 'event',
  path: '/_emulator/events',
  record: eventRecord,
  find({ database }, id) {
    const event = readEvent(database, id);
    return event && toEventRecord(event);
  },
  view: () => (event: z.input<typeof eventRecord>) => event,
});

export const listAllEvents = events.list({
  name: 'listEvents',
  summary: 'Every event, subscribed to or not, newest first.',
  query: accountPageQuery,
  rows: ({ database }, page) => listEvents(database, page),
});

const deliveries = new Resource({
  what: 'delivery',
  path: '/_emulator/deliveries',
  record: deliveryRecord,
  find: ({ database }, id): DeliveryRecord | undefined => findDelivery(database, id),
  view:
    () =>
    ({ envelope: _, ...delivery }: DeliveryRecord & { envelope?: unknown }) =>
      delivery,
  missing: noDelivery,
});

export const listAllDeliveries = deliveries.list({
  name: 'listDeliveries',
  summary: 'What was sent to whom and what came back, newest first.',
  query: foundPageQuery.extend({
    status: optional(z.enum(DELIVERY_STATES)).describe(`${DELIVERY_STATES.join(', ')}.`),
  }),
  search: 'delivery',
  keeps: (delivery, { status }) => !status || delivery.status === status,
  rows: ({ database }, page) => listDeliveries(database, page),
});

export const showEvent = events.get({ name: 'showEvent', summary: 'One event, with the envelope that was sent.' });

export const showDelivery = deliveries.get({
  name: 'showDelivery',
  summary: 'One delivery with the envelope that it carries.',
  answer: wholeDelivery,
  view: () => (delivery) => delivery as z.input<typeof wholeDelivery>,
});

export const triggerEvent = operation({
  name: 'triggerEvent',
  method: 'POST',
  path: '/_emulator/events/trigger',
  summary: 'Sends a test event in the way real events are sent.',
  access: 'local',
  body: z.object({
    type: z.enum(EVENT_TYPES).describe('an event type, such as music.generation.succeeded.'),
    workspace_id: optional(z.string()).describe('a workspace; the seeded one without it.'),
    data: optional(z.record(z.string(), z.unknown())).describe('an object; that of an example without it.'),
  }),
  status: 202,
  answer: z.strictObject({ id: z.string() }),
  async handle({ context, body, baseUrl }) {
    const { clock, database, webhooks } = context;
    const { type, data = exampleData({ type, baseUrl, now: clock.now() }) } = body;
    const { workspaceId, id: accountId } = requireOwner(context, body.workspace_id);
    const event = { type, workspaceId, accountId, data };
    return { id: await database.transact((tx) => webhooks.events.publish(tx, event)) };
  },
});

export const redeliver = operation({
  name: 'redeliver',
  method: 'POST',
  path: '/_emulator/deliveries/:id/redeliver',
  summary: 'Sends the same id and bytes once more, under a new signature time.',
  access: 'local',
  status: 202,
  answer: deliveryRecord,
  async handle(call) {
    const { database, webhooks } = call.context;
    return toDeliveryRecord(await database.transact((tx) => webhooks.events.redeliver(tx, call.param('id'))));
  },
});
