import type { Reader } from '../../base/database/transaction.ts';
import { invalid, quoted } from '../../base/errors.ts';
import { thumbnailPath } from '../storage/cdn-url.ts';
import { entryPosition, type LibraryFilter, type ListedEntry, selectEntries } from './library-list-store.ts';
import { type Addressed, fileUrl } from './library-store.ts';

const DEFAULT_LIMIT = 1000;

/** Newer than all entries. */
const FIRST = { position: Number.MAX_SAFE_INTEGER, created: Number.MAX_SAFE_INTEGER };

/** Newest first. Throws `invalid_request` for an unknown `after`. */
export function listEntries(
  db: Reader,
  page: LibraryFilter & { limit?: number | undefined; after?: string | undefined } = {},
): ListedEntry[] {
  const { limit = DEFAULT_LIMIT, after, ...filter } = page;
  const position = after === undefined ? FIRST : entryPosition(db, after);
  if (position === undefined) {
    throw invalid(
      'after',
      `after must be the id of a library entry, not ${quoted(after ?? '')}. Leave it out to start with the first page.`,
    );
  }
  return selectEntries(db, filter, { after: position, limit });
}

export function entryUrls(entry: Addressed, sign: (path: string) => string): { file: string; thumbnail: string } {
  return { file: fileUrl(entry, sign), thumbnail: sign(thumbnailPath(entry.id)) };
}
