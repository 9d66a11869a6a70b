import { z } from 'zod';
import { operation } from '../../http/operation.ts';
import { readEndpoint } from '../../webhooks/endpoint-store.ts';
import { endpointWithOwner } from '../../webhooks/endpoints.ts';

export const deleteWebhook = operation({
  name: 'deleteWebhook',
  method: 'DELETE',
  path: '/v1/webhooks/:id',
  summary: 'Ends a subscription: no event reaches that URL again. Already gone: deleted is false.',
  access: 'webhooks:manage',
  answer: z.strictObject({ ok: z.literal(true), id: z.string(), deleted: z.boolean() }),
  async handle(call) {
    const { webhooks, database, audit } = call.context;
    const id = call.param('id');
    const was = readEndpoint(database, id);
    const deleted = await webhooks.removeEndpoint(call.caller.workspaceId, id);
    if (deleted && was) audit.deleted(id, endpointWithOwner(was), call.caller.accountId);
    return { ok: true as const, id, deleted };
  },
});
