import { z } from 'zod';
import { isoTime } from '../../clock/clock.ts';
import { optional, text } from '../../http/field-schemas.ts';
import { operation } from '../../http/operation.ts';
import { objectFields, objectShape } from './object-shape.ts';

/** A number as a query carries it. */
const limit = z
  .preprocess((given) => (/^\d+$/.test(String(given)) ? Number(given) : given), z.int().min(1).max(1000))
  .meta({ type: 'integer', minimum: 1, maximum: 1000 });

export const listObjects = operation({
  name: 'listObjects',
  method: 'GET',
  path: '/v1/storage/objects',
  summary: 'The account’s objects, newest first.',
  access: 'key',
  query: z.object({
    limit: optional(limit).describe('a whole number from 1 to 1,000; without it, all are listed.'),
    after: optional(text()).describe('the id of the last object of the page before.'),
  }),
  answer: z.strictObject({
    object: z.literal('list'),
    data: z.array(z.strictObject({ ...objectFields, created_at: z.iso.datetime() })),
  }),
  handle({ query, caller, context, baseUrl }) {
    const { objects, database } = context;
    const page = objects.list(database, caller.accountId, query);
    const data = page.map((object) => ({
      ...objectShape(object, baseUrl),
      created_at: isoTime(object.created),
    }));
    return { object: 'list' as const, data };
  },
});
