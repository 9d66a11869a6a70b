import { z } from 'zod';
import { isoTime, unixSeconds } from '../../../base/clock/clock.ts';
import { objectPath } from '../../../engine/storage/cdn-path.ts';
import type { ListedObject } from '../../../engine/storage/object-store.ts';
import { refusals } from '../../http/field-paths.ts';
import { optional, text } from '../../http/input.ts';
import { operation } from '../../http/operation.ts';

/** The fields of a storage object [R024]; an upload adds `usage`, a list item `created_at` [R028 I174]. */
export const objectFields = {
  id: z.string(),
  object: z.literal('storage.object'),
  url: z.string(),
  bytes: z.int(),
  content_type: z.string(),
};

/** An object as its owner sees it, its URL built on the address that the caller used. */
export function objectShape(object: ListedObject, baseUrl: string) {
  return {
    id: object.id,
    object: 'storage.object' as const,
    url: baseUrl + objectPath(object),
    bytes: object.bytes,
    content_type: object.contentType,
  };
}

/** A number as a query carries it. */
const limit = z
  .preprocess((given) => (/^\d+$/.test(String(given)) ? Number(given) : given), z.int().min(1).max(1000))
  .meta({ type: 'integer', minimum: 1, maximum: 1000 })
  .register(refusals, { choice: 'C076' });

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
