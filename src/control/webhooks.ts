import { z } from 'zod';
import { findDeletedRecord, findPosition } from '../base/database/list-queries.ts';
import { invalidRequestError } from '../base/errors.ts';
import { optional, text } from '../base/schemas.ts';
import { findAccount, findOldestOwnerOfWorkspace, findOldestOwnerOverall } from '../engine/accounts/account-store.ts';
import { workspaceNotFoundError } from '../engine/accounts/accounts.ts';
import { DELIVERY_STATUSES } from '../engine/webhooks/delivery-store.ts';
import {
  createEndpoint,
  endpointViewSchema,
  listEndpoints,
  readEndpoint,
  type StoredEndpoint,
  toEndpointViewWithWorkspace,
} from '../engine/webhooks/endpoint-store.ts';
import { EVENT_TYPES, eventTypesSchema } from '../engine/webhooks/event-schemas.ts';
import { exampleEventData } from '../engine/webhooks/samples.ts';
import {
  type DeliveryRecord,
  deliveryRecordSchema,
  deliveryWithEnvelopeSchema,
  eventRecordSchema,
  findDelivery,
  listDeliveries,
  listEvents,
  toDeliveryRecord,
} from '../engine/webhooks/webhook-records.ts';
import { deliveryNotFoundError } from '../engine/webhooks/webhooks.ts';
import type { Context } from '../service/http/context.ts';
import { definePost } from './control-operation.ts';
import { requireInboxName } from './inbox.ts';
import { accountPageQuerySchema, Resource, searchPageQuerySchema } from './resource.ts';

const PATH = '/_emulator/endpoints';

const endpointRecord = endpointViewSchema.extend({ workspace_id: z.string() });

const endpoints = new Resource({
  what: 'endpoint',
  path: PATH,
  record: endpointRecord,
  find: ({ database }, id) => readEndpoint(database, id),
  view: () => toEndpointViewWithWorkspace,
});

export const listAllEndpoints = endpoints.list({
  name: 'listEndpoints',
  summary: 'Lists the webhook endpoints of every workspace, newest first, without secrets.',
  query: accountPageQuerySchema,
  positionOf: ({ database }, id) =>
    findPosition(database, 'endpoints', id) ?? findDeletedRecord(database, id)?.position,
  rows({ database }, { accountId, before, limit }) {
    // No workspace has the empty id, so an unknown account has no endpoints.
    const workspaceId = accountId && (findAccount(database, accountId)?.workspaceId ?? '');
    return listEndpoints(database, { workspaceId, before, limit });
  },
});

export const endpointFields = {
  url: optional(text({ min: 1 })).describe('an https URL of a public host, or a URL on this machine.'),
  inbox: optional(z.string()).describe('the name of an inbox, instead of url.'),
  events: optional(eventTypesSchema).describe(`one or more of ${EVENT_TYPES.join(', ')} (default: all).`),
};

const addEndpoint = definePost('addEndpoint', PATH, {
  summary: 'Subscribes a URL or an inbox to events, and shows the secret once.',
  body: z.object({
    ...endpointFields,
    flow_id: optional(text()).describe('the id of a flow; only events of its runs are sent.'),
    workspace_id: optional(z.string()).describe('the id of a workspace (default: the seeded workspace).'),
  }),
  status: 201,
  answer: endpointRecord.extend({ secret: z.string() }),
  async handle({ context, body }) {
    const { workspaceId } = resolveWorkspaceOwner(context, body.workspace_id);
    const created = await addEndpointToWorkspace(context, workspaceId, { ...body, flowId: body.flow_id });
    return { ...toEndpointViewWithWorkspace(created), secret: created.secret };
  },
});

export async function addEndpointToWorkspace(
  context: Context,
  workspaceId: string,
  order: z.output<z.ZodObject<typeof endpointFields>> & { flowId?: string | undefined; secret?: string | undefined },
): Promise<StoredEndpoint> {
  const { url: given, inbox, events = [...EVENT_TYPES], flowId = null, secret } = order;
  const { inboxes, webhooks } = context.events;
  if ((given === undefined) === (inbox === undefined)) {
    throw invalidRequestError('url', 'An endpoint has a url or the name of an inbox; give one of them.');
  }
  const url = given ?? inboxes.urlOf(requireInboxName(inbox ?? '', 'inbox'));
  await webhooks.checkUrl(url);
  return createEndpoint(context, workspaceId, { url, events, flowId, secret });
}

const removeEndpoint = endpoints.remove({
  name: 'removeEndpoint',
  summary: 'Removes an endpoint. Its URL receives no more events.',
  remove: ({ events: { webhooks } }, { workspaceId, id }) => webhooks.removeEndpoint(workspaceId, id),
});

function resolveWorkspaceOwner({ database }: Context, id: string | undefined) {
  const owner = id === undefined ? findOldestOwnerOverall(database) : findOldestOwnerOfWorkspace(database, id);
  if (owner) return owner;
  throw workspaceNotFoundError(id ?? '', 'workspace_id');
}

const events = new Resource({
  what: 'event',
  path: '/_emulator/events',
  record: eventRecordSchema,
  view: () => (event: z.input<typeof eventRecordSchema>) => event,
});

export const listAllEvents = events.list({
  name: 'listEvents',
  summary: 'Lists events, newest first, including events without a subscriber.',
  query: accountPageQuerySchema,
  rows: ({ database }, page) => listEvents(database, page),
});

const deliveries = new Resource({
  what: 'delivery',
  path: '/_emulator/deliveries',
  record: deliveryRecordSchema,
  find: ({ database }, id): DeliveryRecord | undefined => findDelivery(database, id),
  view:
    () =>
    ({ envelope: _, ...delivery }: DeliveryRecord & { envelope?: unknown }) =>
      delivery,
  missing: deliveryNotFoundError,
});

export const listAllDeliveries = deliveries.list({
  name: 'listDeliveries',
  summary: 'Lists deliveries with the responses of their endpoints, newest first.',
  query: searchPageQuerySchema.extend({
    status: optional(z.enum(DELIVERY_STATUSES)).describe(`one of ${DELIVERY_STATUSES.join(', ')}.`),
  }),
  search: 'delivery',
  keeps: (delivery, { status }) => !status || delivery.status === status,
  rows: ({ database }, page) => listDeliveries(database, page),
});

const showDelivery = deliveries.get({
  name: 'showDelivery',
  summary: 'Shows a delivery with its body in `envelope`.',
  answer: deliveryWithEnvelopeSchema,
  view: () => (delivery) => delivery as z.input<typeof deliveryWithEnvelopeSchema>,
});

const triggerEvent = definePost('triggerEvent', '/_emulator/events/trigger', {
  summary: 'Sends a test event in the same way as a real event.',
  body: z.object({
    type: z.enum(EVENT_TYPES).describe('an event type, such as music.generation.succeeded.'),
    workspace_id: optional(z.string()).describe('the id of a workspace (default: the seeded workspace).'),
    data: optional(z.record(z.string(), z.unknown())).describe(
      'an object, the data of the event (default: example data).',
    ),
  }),
  status: 202,
  answer: z.strictObject({ id: z.string() }),
  async handle({ context, body, baseUrl }) {
    const { clock, database } = context;
    const { webhooks } = context.events;
    const { type, data = exampleEventData({ type, baseUrl, now: clock.now() }) } = body;
    const { workspaceId, id: accountId } = resolveWorkspaceOwner(context, body.workspace_id);
    const event = { type, workspaceId, accountId, data };
    return { id: await database.transact((tx) => webhooks.publish(tx, event)) };
  },
});

const redeliver = definePost('redeliver', '/_emulator/deliveries/:id/redeliver', {
  summary: 'Sends a delivery again, with the same id and bytes and a new signature.',
  status: 202,
  answer: deliveryRecordSchema,
  async handle(call) {
    const { database } = call.context;
    const { webhooks } = call.context.events;
    return toDeliveryRecord(await database.transact((tx) => webhooks.redeliver(tx, call.param('id'))));
  },
});

export const WEBHOOK_OPERATIONS = [
  listAllEndpoints,
  addEndpoint,
  removeEndpoint,
  listAllEvents,
  listAllDeliveries,
  showDelivery,
  redeliver,
  triggerEvent,
] as const;
