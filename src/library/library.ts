import { nextId } from '../database/sequence-store.ts';
import type { Reader, Transaction } from '../database/transaction.ts';
import { invalid } from '../errors.ts';
import type { Random } from '../random.ts';
import type { RenderRequest } from '../render/render-request.ts';
import { libraryPath, objectPath } from '../storage/cdn-path.ts';
import type { KeptFile } from '../storage/file-store.ts';
import { signedForAWeek } from '../storage/signed-url.ts';
import {
  entriesBefore,
  entryPosition,
  insertEntry,
  insertPicture,
  type LibraryEntry,
  type LibraryFile,
  selectEntry,
} from './library-store.ts';
import { picturesOf } from './render-pictures.ts';

export type { LibraryEntry };

/** A finished render and what it was made from. */
export interface NewEntry {
  accountId: string;
  job: { id: string; medium: string; model: string; credits: number; seed?: number };
  file: Pick<KeptFile, 'name' | 'bytes' | 'contentType' | 'seconds'>;
  /** The permanent object, when it was stored. */
  objectId?: string;
  /** The effective parameters, as the job's record shows them. */
  recipe: Record<string, unknown>;
  render: RenderRequest;
}

const DEFAULT_LIMIT = 1000;

/** Keeps a finished render in its account's library, with its recipe and seed [R053 I047]; answers its id. */
export function addEntry(tx: Transaction, random: Random, order: NewEntry): string {
  const { accountId, job, file, recipe, render } = order;
  const id = nextId(tx, random, 'library', accountId);
  insertEntry(tx, {
    id,
    accountId,
    medium: job.medium,
    model: job.model,
    jobId: job.id,
    objectId: order.objectId ?? null,
    file: file.name,
    bytes: file.bytes,
    contentType: file.contentType,
    seconds: file.seconds ?? null,
    seed: job.seed ?? null,
    credits: job.credits,
    recipe,
    render,
    created: tx.now,
  });
  for (const picture of picturesOf(render)) insertPicture(tx, picture, id);
  return id;
}

export function findEntry(db: Reader, id: string): LibraryEntry | undefined {
  return selectEntry(db, id);
}

/** Newest first, of one account or of all. Throws `invalid_request` for an unknown `after`. */
export function listEntries(
  db: Reader,
  page: { accountId?: string; limit?: number; after?: string } = {},
): LibraryEntry[] {
  const { accountId, limit = DEFAULT_LIMIT, after } = page;
  const before = after === undefined ? Number.MAX_SAFE_INTEGER : entryPosition(db, after);
  if (before === undefined) {
    throw invalid(
      'after',
      `"after" must be the id of a library entry; "${after}" is none. Begin anew without it.`,
    );
  }
  return entriesBefore(db, { accountId, before, limit });
}

const EXTENSION: Record<string, string> = {
  'image/png': 'png',
  'video/mp4': 'mp4',
  'audio/mpeg': 'mp3',
};

/** The file name under which an entry is downloaded, and under which it is stored as an object. */
export function entryName({ id, contentType }: Pick<LibraryFile, 'id' | 'contentType'>): string {
  return `${id}.${EXTENSION[contentType] ?? 'bin'}`;
}

/** Path and query of an entry's file: permanent when it was stored, else good for 7 days from `now` [R232]. */
export function entryUrl(
  db: Reader,
  entry: Pick<LibraryEntry, 'id' | 'contentType' | 'object'>,
  now: number,
): string {
  if (entry.object) return objectPath(entry.object);
  return signedForAWeek(db, libraryPath({ id: entry.id, name: entryName(entry) }), now);
}
