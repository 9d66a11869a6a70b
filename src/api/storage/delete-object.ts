import { z } from 'zod';
import { unixSeconds } from '../../clock/clock.ts';
import { operation } from '../../http/operation.ts';
import { objectShape } from './object-shape.ts';

export const deleteObject = operation({
  name: 'deleteObject',
  method: 'DELETE',
  path: '/v1/storage/objects/:id',
  summary: 'Takes an object off the CDN.',
  access: 'key',
  answer: z.strictObject({
    id: z.string(),
    object: z.literal('storage.object'),
    deleted: z.literal(true),
  }),
  async handle(call) {
    const { objects, audit } = call.context;
    const { accountId } = call.caller;
    const was = await objects.delete(accountId, call.param('id'));
    const { id, name, created } = was;
    const stood = { ...objectShape(was, call.baseUrl), account_id: accountId, name, created: unixSeconds(created) };
    audit.deleted(id, stood, accountId);
    return { id, object: 'storage.object' as const, deleted: true as const };
  },
});
