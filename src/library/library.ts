import type { Database } from '../database/database.ts';
import { tombstones } from '../database/tombstone-store.ts';
import type { Reader, Transaction } from '../database/transaction.ts';
import { invalid } from '../errors.ts';
import { idBeside } from '../ids.ts';
import type { Job } from '../jobs/job.ts';
import { extensionOf, libraryPath, objectPath, thumbnailPath } from '../storage/cdn-path.ts';
import type { KeptFile } from '../storage/file-store.ts';
import type { Files } from '../storage/files.ts';
import { weekSigner } from '../storage/signed-url.ts';
import { insertUse } from './element-store.ts';
import { indexWords, type LibraryFilter, selectEntries } from './library-search-store.ts';
import {
  deleteEntry,
  entryPlace,
  insertEntry,
  insertPicture,
  type LibraryEntry,
  type LibraryFile,
  type ListedEntry,
  selectEntry,
} from './library-store.ts';
import { handlesOf, picturesOf } from './render-pictures.ts';

export type { LibraryEntry, LibraryFilter, ListedEntry };

/** A finished render, of the job that it comes from. */
export interface NewEntry {
  job: Pick<Job, 'position' | 'id' | 'accountId' | 'medium' | 'model' | 'render'>;
  file: Pick<KeptFile, 'name' | 'bytes' | 'contentType' | 'seconds'>;
  /** The permanent object, when it was stored. */
  objectId?: string | undefined;
}

const DEFAULT_LIMIT = 1000;
/** Before all entries. */
const FIRST = { position: Number.MAX_SAFE_INTEGER, created: Number.MAX_SAFE_INTEGER };

/** The id of the entry that a job's file has: with the digits of the job's own. */
export function entryIdOf(jobId: string): string {
  return idBeside(jobId, 'library');
}

/** Keeps a finished render in its account's library, with its recipe and seed [R053 I047]; answers its id. */
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
 * Takes an entry out of its library: its address answers nothing any more, and its file goes unless another entry or a
 * permanent object needs it. Answers false when there is no such entry.
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

/** Before a search for words: makes them known of all entries. */
export async function indexEntries(database: Database): Promise<void> {
  while ((await database.transact(indexWords)) > 0);
}

/** Newest first. Throws `invalid_request` for an unknown `after`. */
export function listEntries(
  db: Reader,
  page: LibraryFilter & { limit?: number | undefined; after?: string | undefined } = {},
): ListedEntry[] {
  const { limit = DEFAULT_LIMIT, after, ...filter } = page;
  const place = after === undefined ? FIRST : (entryPlace(db, after) ?? tombstones(db, after));
  if (place === undefined) {
    throw invalid('after', `"after" must be the id of a library entry; "${after}" is none. Begin anew without it.`);
  }
  return selectEntries(db, filter, { after: place, limit });
}

/** The file name under which an entry is downloaded, and under which it is stored as an object. */
export function entryName({ id, contentType }: Pick<LibraryFile, 'id' | 'contentType'>): string {
  return `${id}.${extensionOf(contentType)}`;
}

type Addressed = Pick<LibraryEntry, 'id' | 'contentType' | 'object'>;

/** Path and query of an entry's file: permanent when it was stored, else good for 7 days from `now` [R232]. */
export function entryUrl(db: Reader, entry: Addressed, now: number): string {
  return fileUrl(entry, weekSigner(db, now));
}

/** Path and query of an entry's file and of the small picture that shows what it is. */
export function entryUrls(entry: Addressed, sign: (path: string) => string): { file: string; thumbnail: string } {
  return { file: fileUrl(entry, sign), thumbnail: sign(thumbnailPath(entry.id)) };
}

function fileUrl(entry: Addressed, sign: (path: string) => string): string {
  if (entry.object) return objectPath(entry.object);
  return sign(libraryPath({ id: entry.id, name: entryName(entry) }));
}
