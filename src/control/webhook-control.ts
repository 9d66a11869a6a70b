import { z } from 'zod';
import { findFirstOwner, findOwner } from '../accounts/account-store.ts';
import { noWorkspace } from '../accounts/accounts.ts';
import { optional } from '../http/field-schemas.ts';
import { operation } from '../http/operation.ts';
import { DELIVERY_STATES } from '../webhooks/delivery-store.ts';
import { noDelivery } from '../webhooks/event-publisher.ts';
import { readEvent } from '../webhooks/event-store.ts';
import { EVENT_TYPES } from '../webhooks/event-types.ts';
import {
  type DeliveryRecord,
  deliveryRecord,
  eventRecord,
  toEventRecord,
  wholeDelivery,
} from '../webhooks/webhook-records.ts';
import { accountPageQuery, foundPageQuery, listAnswer, listOf, noSuch, STANDARD_LIMIT, wantedOf } from './list-page.ts';

export const listAllEvents = operation({
  name: 'listEvents',
  method: 'GET',
  path: '/_emulator/events',
  summary: 'Every event, subscribed to or not, newest first.',
  access: 'local',
  query: accountPageQuery,
  answer: listAnswer(eventRecord),
  handle({ context, query }) {
    const { account_id: accountId, after, limit = STANDARD_LIMIT } = query;
    return listOf(context.webhooks.listEvents({ accountId, after, limit }));
  },
});

export const listAllDeliveries = operation({
  name: 'listDeliveries',
  method: 'GET',
  path: '/_emulator/deliveries',
  summary: 'What was sent to whom and what came back, newest first.',
  access: 'local',
  query: foundPageQuery.extend({
    status: optional(z.enum(DELIVERY_STATES)).describe(`${DELIVERY_STATES.join(', ')}.`),
  }),
  answer: listAnswer(deliveryRecord),
  async handle({ context: { search, webhooks }, query }) {
    const { account_id: accountId, after, q, status, limit = STANDARD_LIMIT } = query;
    if (!q) return listOf(webhooks.listDeliveries({ accountId, status, after, limit }));
    const wanted = (id: string): DeliveryRecord | undefined => {
      const found = webhooks.findDelivery(id);
      if (!found || (status && found.status !== status)) return undefined;
      const { envelope: _, ...delivery } = found;
      return delivery;
    };
    return listOf(
      await wantedOf((page) => search.idsOf('delivery', q, { accountId, ...page }), wanted, { after, limit }),
    );
  },
});

export const showEvent = operation({
  name: 'showEvent',
  method: 'GET',
  path: '/_emulator/events/:id',
  summary: 'One event, with the envelope that was sent.',
  access: 'local',
  answer: eventRecord,
  handle(call) {
    const id = call.param('id');
    const event = readEvent(call.context.database, id);
    if (!event) throw noSuch('event', '/_emulator/events', id);
    return toEventRecord(event);
  },
});

export const showDelivery = operation({
  name: 'showDelivery',
  method: 'GET',
  path: '/_emulator/deliveries/:id',
  summary: 'One delivery with the envelope that it carries.',
  access: 'local',
  answer: wholeDelivery,
  handle(call) {
    const id = call.param('id');
    const found = call.context.webhooks.findDelivery(id);
    if (found) return found;
    throw noDelivery(id);
  },
});

export const triggerEvent = operation({
  name: 'triggerEvent',
  method: 'POST',
  path: '/_emulator/events/trigger',
  summary: 'Sends a made-up event on the way of the real ones.',
  access: 'local',
  body: z.object({
    type: z.enum(EVENT_TYPES).describe('an event type, such as music.generation.succeeded.'),
    workspace_id: optional(z.string()).describe('a workspace; the seeded one without it.'),
    data: optional(z.record(z.string(), z.unknown())).describe('an object; that of an example without it.'),
  }),
  status: 202,
  answer: z.strictObject({ id: z.string() }),
  async handle({ context, body, baseUrl }) {
    const { database, webhooks } = context;
    const { type, workspace_id: workspaceId, data } = body;
    const owner = workspaceId ? findOwner(database, workspaceId) : findFirstOwner(database);
    if (!owner) throw noWorkspace(workspaceId ?? '', 'workspace_id');
    const event = { type, workspaceId: owner.workspaceId, accountId: owner.id, baseUrl };
    return { id: await webhooks.trigger(data ? { ...event, data } : event) };
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
  handle: (call) => call.context.webhooks.redeliver(call.param('id')),
});
