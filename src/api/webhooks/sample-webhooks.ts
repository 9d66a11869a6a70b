import { z } from 'zod';
import { optional, text } from '../../http/field-schemas.ts';
import { operation } from '../../http/operation.ts';
import { EVENT_TYPES } from '../../webhooks/event-schemas.ts';
import { envelope, eventType } from './webhook-schemas.ts';

export const sampleWebhooks = operation({
  name: 'sampleWebhooks',
  method: 'GET',
  path: '/v1/webhooks/samples',
  summary: 'Up to 3 recent events of a type as an endpoint got them, newest first, or one example.',
  access: 'webhooks:manage',
  query: z.object({
    event: eventType.describe(`one of ${EVENT_TYPES.join(', ')}.`),
    flow_id: optional(text()).describe('the id of a flow, with flow.run.* events only.'),
  }),
  answer: z.strictObject({ object: z.literal('list'), events: z.array(envelope) }),
  handle({ query, caller, context, baseUrl }) {
    const { event: type, flow_id: flowId } = query;
    const { workspaceId } = caller;
    const events = context.webhooks.samples({ workspaceId, type, flowId, baseUrl });
    return { object: 'list' as const, events };
  },
});
