import { z } from 'zod';
import { operation } from '../../http/operation.ts';

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
    const { id } = await call.emulator.objects.delete(call.caller.accountId, call.param('id'));
    return { id, object: 'storage.object' as const, deleted: true as const };
  },
});
