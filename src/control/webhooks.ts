import { z } from 'zod';
import { findAccount, findFirstOwner, findOwner } from '../accounts/account-store.ts';
import { noWorkspace } from '../accounts/accounts.ts';
import { invalid } from '../errors.ts';
import type { Context } from '../http/context.ts';
import { optional, text } from '../http/field-schemas.ts';
import { operation } from '../http/operation.ts';
import { DELIVERY_STATES, readEvent } from '../webhooks/delivery-store.ts';
import { listEndpoints, noDelivery, readEndpoint, readEndpointPosition } from '../webhooks/endpoint-store.ts';
import { endpointShape, endpointWithOwner } from '../webhooks/endpoints.ts';
import { EVENT_TYPES, eventTypes } from '../webhooks/event-schemas.ts';
import {
  type DeliveryRecord,
  deliveryRecord,
  eventRecord,
  toEventRecord,
  wholeDelivery,
} from '../webhooks/webhook-records.ts';
import { requireInboxName } from './inbox.ts';
import { accountPageQuery, foundPageQuery } from './list-page.ts';
import { Resource } from './resource.ts';

const events = new Resource({
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
  rows: ({ webhooks }, page) => webhooks.listEvents(page),
});

const deliveries = new Resource({
  what: 'delivery',
  path: '/_emulator/deliveries',
  record: deliveryRecord,
  find: ({ webhooks }, id): DeliveryRecord | undefined => webhooks.findDelivery(id),
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
  rows: ({ webhooks }, page) => webhooks.listDeliveries(page),
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
    const { type, data } = body;
    const { workspaceId, id: accountId } = requireOwner(context, body.workspace_id);
    const event = { type, workspaceId, accountId, baseUrl };
    return { id: await context.webhooks.trigger(data ? { ...event, data } : event) };
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

const PATH = '/_emulator/endpoints';

/** A webhook endpoint without its secret: the service's own record, and whose it is. */
const endpointRecord = endpointShape.extend({ workspace_id: z.string() });

export type EndpointRecord = z.infer<typeof endpointRecord>;

const endpoints = new Resource({
  what: 'endpoint',
  path: PATH,
  record: endpointRecord,
  find: ({ database }, id) => readEndpoint(database, id),
  view: () => endpointWithOwner,
});

export const listAllEndpoints = endpoints.list({
  name: 'listEndpoints',
  summary: 'Webhook endpoints of every workspace, newest first, without secrets.',
  query: accountPageQuery,
  isDeletable: true,
  positionOf: ({ database }, id) => readEndpointPosition(database, id),
  rows({ database }, { accountId, before, limit }) {
    // An unknown account has no workspace either.
    const workspaceId = accountId && (findAccount(database, accountId)?.workspaceId ?? '');
    return listEndpoints(database, { workspaceId, before, limit });
  },
});

export const addEndpoint = operation({
  name: 'addEndpoint',
  method: 'POST',
  path: PATH,
  summary: 'Subscribes a URL or a built-in inbox to events; the secret is told in this answer only.',
  access: 'local',
  body: z.object({
    url: optional(text({ min: 1 })).describe('an https URL of a public host, or a URL of this machine.'),
    inbox: optional(z.string()).describe('the name of a built-in inbox, in place of url.'),
    events: optional(eventTypes).describe(`one or more of ${EVENT_TYPES.join(', ')}; all of them without it.`),
    flow_id: optional(text()).describe('the id of a flow, to hear of the runs of that one alone.'),
    workspace_id: optional(z.string()).describe('a workspace; the seeded one without it.'),
  }),
  status: 201,
  answer: endpointRecord.extend({ secret: z.string() }),
  async handle({ context, body }) {
    const { events = [...EVENT_TYPES], flow_id: flowId = null } = body;
    const { workspaceId } = requireOwner(context, body.workspace_id);
    const wanted = { url: urlOf(context, body), events, flowId };
    const { endpoint, secret } = await context.webhooks.createEndpoint(workspaceId, wanted);
    return { ...endpoint, workspace_id: workspaceId, secret };
  },
});

export const removeEndpoint = endpoints.remove({
  name: 'removeEndpoint',
  summary: 'Ends a subscription: no event reaches that URL again.',
  remove: ({ webhooks }, { workspaceId, id }) => webhooks.removeEndpoint(workspaceId, id),
});

/** The owner of a workspace, by default of the seeded one. */
function requireOwner({ database }: Context, id: string | undefined) {
  const owner = id === undefined ? findFirstOwner(database) : findOwner(database, id);
  if (owner) return owner;
  throw noWorkspace(id ?? '', 'workspace_id');
}

function urlOf({ inbox }: Context, given: { url: string | undefined; inbox: string | undefined }): string {
  if (given.url !== undefined && given.inbox === undefined) return given.url;
  if (given.inbox !== undefined && given.url === undefined) {
    return inbox.urlOf(requireInboxName(given.inbox, 'inbox'));
  }
  throw invalid('url', 'An endpoint has a url or the name of an inbox; give one of them.');
}
