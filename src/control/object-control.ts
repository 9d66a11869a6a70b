import { z } from 'zod';
import { objectFields, objectShape } from '../api/storage/object-shape.ts';
import { unixSeconds } from '../clock/clock.ts';
import { EmulatorError } from '../errors.ts';
import { operation } from '../http/operation.ts';
import { findObject, ownedObjectPosition, ownedObjectsBefore, type StorageObject } from '../storage/object-store.ts';
import { foundPageQuery, listAnswer, listOf, rowAfter, STANDARD_LIMIT } from './list-page.ts';

/** A storage object with its owner. */
export const objectRecord = z.strictObject({
  ...objectFields,
  account_id: z.string(),
  name: z.string(),
  created: z.int(),
});

export type ObjectRecord = z.infer<typeof objectRecord>;

export const listOwnedObjects = operation({
  name: 'listAllObjects',
  method: 'GET',
  path: '/_emulator/objects',
  summary: 'Storage objects with their names and owners, newest first.',
  access: 'local',
  query: foundPageQuery,
  answer: listAnswer(objectRecord),
  handle({ context, query, baseUrl }) {
    const { database } = context;
    const { limit = STANDARD_LIMIT, account_id: accountId, q } = query;
    const before = rowAfter(database, query.after, (id) => ownedObjectPosition(database, id));
    const objects = ownedObjectsBefore(database, { accountId, before, limit, q });
    return listOf(objects.map((object) => objectView(object, baseUrl)));
  },
});

export const showOwnedObject = operation({
  name: 'showObject',
  method: 'GET',
  path: '/_emulator/objects/:id',
  summary: 'One storage object.',
  access: 'local',
  answer: objectRecord,
  handle(call) {
    const object = findObject(call.context.database, call.param('id'));
    if (!object) throw noObject(call.param('id'));
    return objectView(object, call.baseUrl);
  },
});

function objectView(object: StorageObject, baseUrl: string) {
  const { accountId, name, created } = object;
  return { ...objectShape(object, baseUrl), account_id: accountId, name, created: unixSeconds(created) };
}

function noObject(id: string): EmulatorError {
  return new EmulatorError(
    'not_found',
    `There is no storage object "${id.slice(0, 80)}"; GET /_emulator/objects lists those there are.`,
  );
}
