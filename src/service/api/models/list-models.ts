import { z } from 'zod';
import { operation } from '../../http/operation.ts';

const listedModel = z.strictObject({ id: z.string(), kind: z.string(), pricing: z.string() });

export const listModels = operation({
  name: 'listModels',
  method: 'GET',
  path: '/v1/models',
  summary: 'Every model and video engine with its price; needs no key.',
  access: 'public',
  answer: z.strictObject({ object: z.literal('list'), data: z.array(listedModel) }),
  handle: ({ context }) => ({ object: 'list' as const, data: context.generation.catalogue.list() }),
});
