import { z } from 'zod';
import { objectPath } from '../../storage/cdn-url.ts';
import type { ListedObject } from '../../storage/objects.ts';

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
