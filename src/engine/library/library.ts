import { deletedId } from '../../base/database/setting-store.ts';
import type { Reader, Transaction } from '../../base/database/transaction.ts';
import { invalid, quoted } from '../../base/errors.ts';
import { thumbnailPath } from '../storage/cdn-path.ts';
import type { Files } from '../storage/files.ts';
import { deleteEntry, entryPosition, findEntry, type ListedEntry } from './entry-store.ts';
import { type LibraryFilter, selectEntries } from './library-search-store.ts';
import { type Addressed, fileUrl } from './library-store.ts';

const DEFAULT_LIMIT = 1000;

/** Newer than all entries. */
const FIRST = { position: Number.MAX_SAFE_INTEGER, created: Number.MAX_SAFE_INTEGER };

/**
 * Its URL stops working. Its file is deleted unless another entry or an object needs it. Returns false if there is no
 * such entry.
 */
export function removeEntry(tx: Transaction, files: Files, id: string): boolean {
  const entry = findEntry(tx, id);
  if (!entry) return false;
  for (const file of deleteEntry(tx, entry)) files.collect(tx, file);
  return true;
}

/** Newest first. Throws `invalid_request` for an unknown `after`. */
export function listEntries(
  db: Reader,
  page: LibraryFilter & { limit?: number | undefined; after?: string | undefined } = {},
): ListedEntry[] {
  const { limit = DEFAULT_LIMIT, after, ...filter } = page;
  const position = after === undefined ? FIRST : (entryPosition(db, after) ?? deletedId(db, after));
  if (position === undefined) {
    throw invalid(
      'after',
      `"after" must be the id of a library entry; ${quoted(after ?? '')} is none. Begin anew without it.`,
    );
  }
  return selectEntries(db, filter, { after: position, limit });
}

export function entryUrls(entry: Addressed, sign: (path: string) => string): { file: string; thumbnail: string } {
  return { file: fileUrl(entry, sign), thumbnail: sign(thumbnailPath(entry.id)) };
}
