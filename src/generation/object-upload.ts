import { type Catalogue, price, uploadTerms } from '../catalogue/catalogue.ts';
import type { Files } from '../storage/files.ts';
import type { Objects, StorageObject } from '../storage/objects.ts';
import { type InstantParts, instantWork } from './instant-work.ts';
import type { Paid, Payer } from './order.ts';
import type { Pipeline } from './pipeline.ts';

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
  return files.holding(async (hold) => {
    await hold.place(file.scratchPath, sha256);
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
