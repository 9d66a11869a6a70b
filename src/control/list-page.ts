import { z } from 'zod';
import { tombstones } from '../database/tombstone-store.ts';
import type { Reader } from '../database/transaction.ts';
import { EmulatorError, invalid } from '../errors.ts';
import { optional } from '../http/field-schemas.ts';

/** What every list of the control surface understands. */
export const pageQuery = z.object({
  limit: optional(z.coerce.number().int().min(1).max(1000)).describe(
    'a whole number from 1 to 1,000, by default 1,000.',
  ),
  after: optional(z.string()).describe('the id after which the page begins.'),
});

/** What narrows to one account. */
export const accountQuery = z.object({
  account_id: optional(z.string()).describe('the id of an account.'),
});

/** What a list that can be narrowed understands. */
export const accountPageQuery = pageQuery.extend(accountQuery.shape);

/** What is searched for in a list. */
export const wordsQuery = z.object({
  q: optional(z.string().max(200)).describe('words that it has to hold, at most 200 characters.'),
});

/** What a list that is searched understands: `q` as of `GET /_emulator/search`. */
export const foundPageQuery = accountPageQuery.extend(wordsQuery.shape);

/** A list of records: newest first. */
export function listAnswer<Item extends z.ZodType>(item: Item) {
  return z.strictObject({ object: z.literal('list'), data: z.array(item) });
}

export function listOf<Item>(data: Item[]) {
  return { object: 'list' as const, data };
}

/** Where a page begins: the position of what `after` names, or of a row that was deleted since. Throws as `positionAfter`. */
export function rowAfter(db: Reader, after: string | undefined, find: (id: string) => number | undefined): number {
  return positionAfter(after, (id) => find(id) ?? tombstones(db, id)?.position);
}

/** Where a page begins: the position of what `after` names. Throws `invalid_request` when it names nothing. */
export function positionAfter(after: string | undefined, find: (id: string) => number | undefined): number {
  const position = after === undefined ? Number.MAX_SAFE_INTEGER : find(after);
  if (position !== undefined) return position;
  throw invalid('after', `after must be an id of this list; "${after?.slice(0, 80)}" is none. Begin anew without it.`);
}

/** Thrown for an id that names nothing of a list. */
export function noSuch(what: string, path: string, id: string): EmulatorError {
  return new EmulatorError('not_found', `There is no ${what} "${id.slice(0, 80)}"; GET ${path} lists those there are.`);
}

export const STANDARD_LIMIT = 1000;

/** Of what a search finds, page by page, the rows that are wanted: `rowOf` answers undefined for the others. */
export async function wantedOf<Row>(
  search: (page: { after: string | undefined; limit: number }) => Promise<string[]>,
  rowOf: (id: string) => Row | undefined,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<Row[]> {
  const rows: Row[] = [];
  for (let from = after; ; ) {
    const ids = await search({ after: from, limit });
    rows.push(...ids.flatMap((id) => rowOf(id) ?? []));
    if (rows.length >= limit || ids.length < limit) return rows.slice(0, limit);
    from = ids.at(-1);
  }
}
