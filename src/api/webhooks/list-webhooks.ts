import { z } from 'zod';
import { operation } from '../../http/operation.ts';
import { webhook } from './webhook-schemas.ts';

export const listWebhooks = operation({
  name: 'listWebhooks',
  method: 'GET',
  path: '/v1/webhooks',
  summary: "The workspace's endpoints, newest first, without secrets.",
  access: 'webhooks:manage',
  answer: z.strictObject({ object: z.literal('list'), webhooks: z.array(webhook) }),
  handle: ({ caller, context }) => ({
    object: 'list' as const,
    webhooks: context.webhooks.listEndpoints(caller.workspaceId),
  }),
});
