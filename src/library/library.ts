import type { Database } from '../database/database.ts';
import { idBeside } from '../database/id-store.ts';
import { tombstones } from '../database/setting-store.ts';
import type { Reader, Transaction } from '../database/transaction.ts';
import { invalid } from '../errors.ts';
import type { Job } from '../jobs/job.ts';
import type { JobRender, ReferencePicture, RenderRequest } from '../render/render-request.ts';
import { objectPath, thumbnailPath } from '../storage/cdn-path.ts';
import { weekSigner } from '../storage/cdn-url.ts';
import { extensionOf, type KeptFile } from '../storage/file-store.ts';
import type { Files } from '../storage/files.ts';
import { insertUse } from './element-store.ts';
import { indexWords, type LibraryFilter, selectEntries } from './library-search-store.ts';
import {
  deleteEntry,
  entryPosition,
  insertEntry,
  insertPicture,
  type LibraryEntry,
  type LibraryFile,
  type ListedEntry,
  selectEntry,
} from './library-store.ts';

export type { LibraryEntry, LibraryFilter, ListedEntry };

/** A finished render with its job. */
export interface NewEntry {
  job: Pick<Job, 'position' | 'id' | 'accountId' | 'medium' | 'model' | 'render'>;
  file: Pick<KeptFile, 'name' | 'bytes' | 'contentType' | 'seconds'>;
  /** The permanent object, when it was stored. */
  objectId?: string | undefined;
}

const DEFAULT_LIMIT = 1000;

/** Newer than all entries. */
const FIRST = { position: Number.MAX_SAFE_INTEGER, created: Number.MAX_SAFE_INTEGER };

/** The id of the library entry of a job, which has the digits of the job's id. */
export function entryIdOf(jobId: string): string {
  return idBeside(jobId, 'library');
}

/** Adds a finished render to its account's library, with its recipe and seed [R053 I047]; returns the id of the entry. */
export function addEntry(tx: Transaction, { job, file, objectId }: NewEntry): string {
  const { accountId, medium, model, render } = job;
  const id = entryIdOf(job.id);
  insertEntry(tx, {
    id,
    accountId,
    job: job.position,
    medium,
    model,
    objectId: objectId ?? null,
    file: file.name,
    bytes: file.bytes,
    contentType: file.contentType,
    seconds: file.seconds ?? null,
    created: tx.now,
  });
  for (const picture of picturesOf(render)) insertPicture(tx, picture, id);
  for (const handle of handlesOf(render)) insertUse(tx, { accountId, handle, entryId: id });
  return id;
}

/**
 * Removes an entry: its URL no longer works, and its file is deleted unless another entry or a permanent object needs
 * it. Returns false when there is no such entry.
 */
export function removeEntry(tx: Transaction, files: Files, id: string): boolean {
  const entry = selectEntry(tx, id);
  if (!entry) return false;
  for (const file of deleteEntry(tx, entry)) files.collect(tx, file);
  return true;
}

export function findEntry(db: Reader, id: string): LibraryEntry | undefined {
  return selectEntry(db, id);
}

/** Indexes the words of all entries, for a search. */
export async function indexEntries(database: Database): Promise<void> {
  while ((await database.transact(indexWords)) > 0);
}

/** Newest first. Throws `invalid_request` for an unknown `after`. */
export function listEntries(
  db: Reader,
  page: LibraryFilter & { limit?: number | undefined; after?: string | undefined } = {},
): ListedEntry[] {
  const { limit = DEFAULT_LIMIT, after, ...filter } = page;
  const position = after === undefined ? FIRST : (entryPosition(db, after) ?? tombstones(db, after));
  if (position === undefined) {
    throw invalid('after', `"after" must be the id of a library entry; "${after}" is none. Begin anew without it.`);
  }
  return selectEntries(db, filter, { after: position, limit });
}

/** The file name of an entry in downloads and as an object. */
export function entryName({ id, contentType }: Pick<LibraryFile, 'id' | 'contentType'>): string {
  return `${id}.${extensionOf(contentType)}`;
}

type Addressed = Pick<LibraryEntry, 'id' | 'contentType' | 'object'>;

/** Path and query of an entry's file: permanent if it was stored, else valid for 7 days from `now` [R232]. */
export function entryUrl(db: Reader, entry: Addressed, now: number): string {
  return fileUrl(entry, weekSigner(db, now));
}

/** Path and query of an entry's file and of its thumbnail. */
export function entryUrls(entry: Addressed, sign: (path: string) => string): { file: string; thumbnail: string } {
  return { file: fileUrl(entry, sign), thumbnail: sign(thumbnailPath(entry.id)) };
}

function fileUrl(entry: Addressed, sign: (path: string) => string): string {
  if (entry.object) return objectPath(entry.object);
  return sign(libraryPath({ id: entry.id, name: entryName(entry) }));
}

/** The names of the given pictures of a render, which are kept as long as it may have to be made again. */
export function picturesOf(request: JobRender): string[] {
  const names = allPictures(request).flatMap((picture) => ('sha256' in picture ? [picture.sha256] : []));
  return [...new Set(names)];
}

/** The same request with the present paths of its pictures: the data folder may have been moved since. */
export function withPicturesAt(request: RenderRequest, pathOf: (name: string) => string): RenderRequest {
  if (request.kind !== 'clip') return request;
  const at = (picture: ReferencePicture): ReferencePicture =>
    'sha256' in picture ? { ...picture, path: pathOf(picture.sha256) } : picture;
  return {
    ...request,
    figures: request.figures.map((figure) => ({
      ...figure,
      picture: figure.picture && at(figure.picture),
    })),
    firstFrame: request.firstFrame && at(request.firstFrame),
    lastFrame: request.lastFrame && at(request.lastFrame),
    references: request.references.map(at),
  };
}

/** The handles of the elements that a render shows. */
export function handlesOf(request: JobRender): string[] {
  return request.kind === 'clip' ? request.figures.map(({ handle }) => handle) : [];
}

function allPictures(request: JobRender): ReferencePicture[] {
  if (request.kind !== 'clip') return [];
  const { figures, firstFrame, lastFrame, references } = request;
  return [...figures.map(({ picture }) => picture), firstFrame, lastFrame, ...references].filter(
    (picture) => picture !== undefined,
  );
}

export function libraryPath({ id, name }: { id: string; name: string }): string {
  return `/cdn/library/${id}/${name}`;
}
