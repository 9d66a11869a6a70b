import { z } from 'zod';
import { invalid } from '../../../base/errors.ts';
import { type Catalogue, price, uploadTerms } from '../../../engine/catalogue/catalogue.ts';
import { type InstantParts, instantWork } from '../../../engine/generation/instant-work.ts';
import type { Paid, Payer } from '../../../engine/generation/order.ts';
import type { Pipeline } from '../../../engine/generation/pipeline.ts';
import type { Files } from '../../../engine/storage/files.ts';
import type { StorageObject } from '../../../engine/storage/object-store.ts';
import type { Objects } from '../../../engine/storage/objects.ts';
import { optional, text } from '../../http/input.ts';
import { operation } from '../../http/operation.ts';
import { usage } from '../usage-schema.ts';
import { objectFields, objectShape } from './objects.ts';

export const uploadObject = operation({
  name: 'uploadObject',
  method: 'POST',
  path: '/v1/storage/objects',
  summary: 'Keeps a file of any type, up to 100 MiB, under a permanent URL: 2 credits per started 10 MiB.',
  access: 'key',
  paid: 'storage.object',
  upload: 'file',
  body: z.object({
    name: optional(text()).describe('a file name to show in the URL; without it the file’s own.'),
  }),
  answer: z.strictObject({ ...objectFields, usage }),
  async handle(call) {
    const { body, context, file } = call;
    if (!file) throw invalid('file', 'file is missing. It takes: a file of any type, up to 100 MiB.');
    const name = body.name || file.originalName;
    const { result, usage: spent } = await keepUpload(context, { ...file, name }, call);
    return { ...objectShape(result, call.baseUrl), usage: spent };
  },
});

export interface UploadParts extends InstantParts {
  pipeline: Pipeline;
  catalogue: Catalogue;
  files: Files;
  objects: Objects;
}

/** A file in the scratch folder, and the name that its owner gave it. */
export interface UploadedFile {
  scratchPath: string;
  sha256: string;
  bytes: number;
  contentType: string;
  name: string;
}

/** Stores an uploaded file as a permanent object. */
export function keepUpload(parts: UploadParts, file: UploadedFile, payer: Payer): Promise<Paid<StorageObject>> {
  const { pipeline, catalogue, files, objects } = parts;
  const { sha256, bytes, contentType, name } = file;
  return files.withPins(async (pins) => {
    await pins.place(file.scratchPath, sha256);
    return pipeline.run(
      {
        operation: 'storage.object',
        model: null,
        prices: [price(uploadTerms(catalogue.file.storage.creditsPerStarted10MiB, bytes))],
        directives: {},
        work: instantWork(parts, { directives: {}, payer, keeps: true }, (tx) => {
          files.keep(tx, { name: sha256, origin: 'upload', bytes, contentType });
          const { accountId } = payer.caller;
          return objects.create(tx, { accountId, name, file: sha256, bytes, contentType });
        }),
      },
      payer,
    );
  });
}
