import { z } from 'zod';
import { isoTime, unixSeconds } from '../../base/clock/clock.ts';
import { invalidRequestError } from '../../base/errors.ts';
import { optional, text } from '../../base/schemas.ts';
import { uploadPriceLines } from '../../engine/catalogue/catalogue.ts';
import { chargeAndExecute } from '../../engine/generation/instant-work.ts';
import type { PaidResult, Payer } from '../../engine/generation/place-order.ts';
import { objectPath } from '../../engine/storage/cdn-url.ts';
import {
  addObject,
  type ListedObject,
  listObjectsOfAccount,
  removeStorageObject,
  type StorageObject,
} from '../../engine/storage/object-store.ts';
import type { BaseContext } from '../http/context.ts';
import { rejectionChoiceRegistry } from '../http/field-tree.ts';
import { creditUsageSchema } from '../http/input.ts';
import { defineOperation } from '../http/operation.ts';

/** The response to an upload adds `usage`, an item of a list `created_at` [R024 R028 I174]. */
export const storageObjectFields = {
  id: z.string(),
  object: z.literal('storage.object'),
  url: z.string(),
  bytes: z.int(),
  content_type: z.string(),
};

export function toStorageObjectRecord(object: ListedObject, baseUrl: string) {
  return {
    id: object.id,
    object: 'storage.object' as const,
    url: baseUrl + objectPath(object),
    bytes: object.bytes,
    content_type: object.contentType,
  };
}

/** Converts digits to a number, because a query contains only texts. */
const limit = z
  .preprocess((given) => (/^\d+$/.test(String(given)) ? Number(given) : given), z.int().min(1).max(1000))
  .meta({ type: 'integer', minimum: 1, maximum: 1000 })
  .register(rejectionChoiceRegistry, { choice: 'C076' });

export const listObjects = defineOperation({
  name: 'listObjects',
  method: 'GET',
  path: '/v1/storage/objects',
  summary: 'Lists the objects of the account, newest first.',
  access: 'key',
  query: z.object({
    limit: optional(limit).describe('a whole number from 1 to 1,000 (default: all objects).'),
    after: optional(text()).describe('the id of the last object of the previous page.'),
  }),
  answer: z.strictObject({
    object: z.literal('list'),
    data: z.array(z.strictObject({ ...storageObjectFields, created_at: z.iso.datetime() })),
  }),
  handle({ query, caller, context, baseUrl }) {
    const page = listObjectsOfAccount(context.database, caller.accountId, query);
    const data = page.map((object) => ({
      ...toStorageObjectRecord(object, baseUrl),
      created_at: isoTime(object.created),
    }));
    return { object: 'list' as const, data };
  },
});

export const deleteObject = defineOperation({
  name: 'deleteObject',
  method: 'DELETE',
  path: '/v1/storage/objects/:id',
  summary: 'Removes an object from the CDN.',
  access: 'key',
  answer: z.strictObject({
    id: z.string(),
    object: z.literal('storage.object'),
    deleted: z.literal(true),
  }),
  async handle(call) {
    const { accountId } = call.caller;
    const was = await removeStorageObject(call.context, accountId, call.param('id'));
    const { id, name, created } = was;
    const stood = {
      ...toStorageObjectRecord(was, call.baseUrl),
      account_id: accountId,
      name,
      created: unixSeconds(created),
    };
    call.context.records.audit.deleted(id, stood, accountId);
    return { id, object: 'storage.object' as const, deleted: true as const };
  },
});

export const uploadObject = defineOperation({
  name: 'uploadObject',
  method: 'POST',
  path: '/v1/storage/objects',
  summary: 'Stores a file of any type, at most 100 MiB, under a permanent URL: 2 credits per 10 MiB, rounded up.',
  access: 'key',
  paid: 'storage.object',
  upload: 'file',
  body: z.object({
    name: optional(text()).describe('the file name in the URL (default: the name of the uploaded file).'),
  }),
  answer: z.strictObject({ ...storageObjectFields, usage: creditUsageSchema }),
  async handle(call) {
    const { body, context, file } = call;
    if (!file) throw invalidRequestError('file', 'file is missing. Send a file of any type, up to 100 MiB.');
    const name = body.name || file.originalName;
    const { result, usage: spent } = await keepUpload(context, { ...file, name }, call);
    return { ...toStorageObjectRecord(result, call.baseUrl), usage: spent };
  },
});

interface UploadedFile {
  scratchPath: string;
  sha256: string;
  bytes: number;
  contentType: string;
  name: string;
}

function keepUpload(
  { generation, random, storage: { files } }: BaseContext,
  file: UploadedFile,
  payer: Payer,
): Promise<PaidResult<StorageObject>> {
  const { sha256, bytes, contentType, name } = file;
  return files.withPins(async (pins) => {
    await pins.place(file.scratchPath, sha256);
    const lines = uploadPriceLines(generation.catalogue.file.storage.creditsPerStarted10MiB, bytes);
    const purchase = { operation: 'storage.object' as const, model: null, lines, directives: {}, isKept: true };
    return chargeAndExecute(generation, purchase, payer, (tx) => {
      files.register(tx, { name: sha256, bytes, contentType }, 'upload');
      const { accountId } = payer.caller;
      return addObject(tx, random, { accountId, name, file: sha256, bytes, contentType });
    });
  });
}
