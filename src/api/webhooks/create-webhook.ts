import { z } from 'zod';
import { withReason } from '../../http/field-list.ts';
import { optional, text } from '../../http/field-schemas.ts';
import { operation } from '../../http/operation.ts';
import { EVENT_TYPES, eventTypes, isFlowEvent } from '../../webhooks/event-schemas.ts';
import { webhook } from './webhook-schemas.ts';

export const createWebhook = operation({
  name: 'createWebhook',
  method: 'POST',
  path: '/v1/webhooks',
  summary: 'Subscribes a URL to events; the signing secret is told in this answer only.',
  access: 'webhooks:manage',
  body: z.object({
    url: text({ min: 1 }).describe('an https URL of a public host.'),
    events: eventTypes.describe(`one or more of ${EVENT_TYPES.join(', ')}.`),
    flow_id: optional(text()).describe('the id of a flow, to hear of the runs of that one and of nothing else.'),
  }),
  status: 201,
  answer: webhook.extend({ secret: z.string() }),
  async handle(call) {
    const { body, caller, context } = call;
    const { url, events, flow_id: flowId = null } = body;
    if (flowId !== null && !events.every(isFlowEvent)) call.warn(withReason('events', 'flow_id'));
    const wanted = { url, events, flowId };
    const { endpoint, secret } = await context.webhooks.createEndpoint(caller.workspaceId, wanted);
    return { ...endpoint, secret };
  },
});
