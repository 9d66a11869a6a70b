import { type Actor, onBody } from './lie.ts';

/** An object of no account: older than every object, under a URL of the emulator that can be read. */
const FOREIGN = {
  id: `obj_${'0'.repeat(20)}`,
  object: 'storage.object',
  bytes: 4096,
  content_type: 'text/plain',
  created_at: '2020-01-01T00:00:00.000Z',
};

/** The lies of the family security that act on answers; others act where keys, roles, files and deliveries are. */
export const SECURITY: Readonly<Record<string, Actor>> = {
  'list.foreign': onBody((body, { operation, query, baseUrl }) => {
    if (operation !== 'listObjects' || query.after !== undefined || !Array.isArray(body.data)) return undefined;
    const { id, object, ...rest } = FOREIGN;
    return { ...body, data: [...body.data, { id, object, url: `${baseUrl}/llms.txt`, ...rest }] };
  }),
};
