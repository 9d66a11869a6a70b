import { z } from 'zod';
import { emptyTextAsMissing, optional, text } from '../../base/schemas.ts';
import {
  createEndpoint,
  endpointViewSchema,
  readEndpoint,
  readEndpointsOfWorkspace,
  toEndpointView,
  toEndpointViewWithWorkspace,
} from '../../engine/webhooks/endpoint-store.ts';
import { EVENT_TYPES, envelopeSchema, eventTypesSchema, isFlowEvent } from '../../engine/webhooks/event-schemas.ts';
import { checkFlowIdFitsEvent, readEventSamples } from '../../engine/webhooks/samples.ts';
import { packFieldWithReason } from '../http/field-list.ts';
import { defineOperation } from '../http/operation.ts';

const HTTP_URL = '^[Hh][Tt][Tt][Pp][Ss]?://.';

const isoTime = z.string().describe('an ISO 8601 time in UTC.');

const webhook = endpointViewSchema.extend({
  flowId: endpointViewSchema.shape.flowId.describe(
    'the id of the flow whose run events the endpoint receives; null for all events.',
  ),
  lastDeliveryAt: isoTime.nullable(),
  lastStatus: z.int().nullable().describe('the HTTP status of the last delivery; null before the first.'),
  createdAt: isoTime,
});

const sample = envelopeSchema.extend({ created: z.int().describe('a Unix time in seconds.') });

export const listWebhooks = defineOperation({
  name: 'listWebhooks',
  method: 'GET',
  path: '/v1/webhooks',
  summary: 'Lists the endpoints of the workspace, newest first, without secrets.',
  access: 'webhooks:manage',
  answer: z.strictObject({ object: z.literal('list'), webhooks: z.array(webhook) }),
  handle: ({ caller, context }) => ({
    object: 'list' as const,
    webhooks: readEndpointsOfWorkspace(context.database, caller.workspaceId).map(toEndpointView),
  }),
});

export const createWebhook = defineOperation({
  name: 'createWebhook',
  method: 'POST',
  path: '/v1/webhooks',
  summary: 'Subscribes a URL to events. Only this response contains the signing secret.',
  access: 'webhooks:manage',
  body: z.object({
    url: text({ min: 1 }).meta({ format: 'uri', pattern: HTTP_URL }).describe('an https URL of a public host.'),
    events: eventTypesSchema.describe(`one or more of ${EVENT_TYPES.join(', ')}.`),
    flow_id: emptyTextAsMissing(text()).describe('the id of a flow; only events of its runs are sent.'),
  }),
  status: 201,
  answer: webhook.extend({ secret: z.string() }),
  validate: ({ body, context }) => context.events.webhooks.checkUrl(body.url),
  async handle(call) {
    const { body, caller, context } = call;
    const { url, events, flow_id: flowId = null } = body;
    if (flowId !== null && !events.every(isFlowEvent)) call.warn(packFieldWithReason('events', 'flow_id'));
    const created = await createEndpoint(context, caller.workspaceId, { url, events, flowId });
    return { ...toEndpointView(created), secret: created.secret };
  },
});

export const deleteWebhook = defineOperation({
  name: 'deleteWebhook',
  method: 'DELETE',
  path: '/v1/webhooks/:id',
  summary:
    'Removes an endpoint. Its URL receives no more events. If the endpoint is already removed, deleted is false.',
  access: 'webhooks:manage',
  answer: z.strictObject({ ok: z.literal(true), id: z.string(), deleted: z.boolean() }),
  async handle(call) {
    const { database } = call.context;
    const { webhooks } = call.context.events;
    const { audit } = call.context.records;
    const id = call.param('id');
    const was = readEndpoint(database, id);
    const deleted = await webhooks.removeEndpoint(call.caller.workspaceId, id);
    if (deleted && was) audit.deleted(id, toEndpointViewWithWorkspace(was), call.caller.accountId);
    return { ok: true as const, id, deleted };
  },
});

export const listWebhookSamples = defineOperation({
  name: 'sampleWebhooks',
  method: 'GET',
  path: '/v1/webhooks/samples',
  summary: 'Returns up to 3 recent events of a type as an endpoint received them, newest first, or one example.',
  access: 'webhooks:manage',
  query: z.object({
    event: z.enum(EVENT_TYPES).describe(`one of ${EVENT_TYPES.join(', ')}.`),
    flow_id: optional(text()).describe('the id of a flow, for flow.run.* events only.'),
  }),
  answer: z.strictObject({ object: z.literal('list'), events: z.array(sample) }),
  validate: ({ query }) => checkFlowIdFitsEvent(query.event, query.flow_id),
  handle({ query, caller, context, baseUrl }) {
    const { event: type, flow_id: flowId } = query;
    const { workspaceId } = caller;
    const events = readEventSamples(context.database, context.clock.now(), { workspaceId, type, flowId, baseUrl });
    return { object: 'list' as const, events };
  },
});
