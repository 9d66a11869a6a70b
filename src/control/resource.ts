import { z } from 'zod';
import { tombstones } from '../database/tombstone-store.ts';
import { EmulatorError, invalid } from '../errors.ts';
import type { Call } from '../http/call.ts';
import type { Context } from '../http/context.ts';
import { optional } from '../http/field-schemas.ts';
import type { Operation, TypedOperation } from '../http/operation.ts';
import { NoContent } from '../http/reply.ts';
import type { Kind } from '../search/search-docs-store.ts';

/** The query of every list of the control surface. */
export const pageQuery = z.object({
  limit: optional(z.coerce.number().int().min(1).max(1000)).describe(
    'a whole number from 1 to 1,000, by default 1,000.',
  ),
  after: optional(z.string()).describe('the id after which the page begins.'),
});

/** Narrows to one account. */
export const accountQuery = z.object({
  account_id: optional(z.string()).describe('the id of an account.'),
});

/** The query of a list that can be narrowed to one account. */
export const accountPageQuery = pageQuery.extend(accountQuery.shape);

/** Narrows to what holds these words. */
export const wordsQuery = z.object({
  q: optional(z.string().max(200)).describe('words that it has to hold, at most 200 characters.'),
});

/** The query of a list that is searched: `q` as of `GET /_emulator/search`. */
export const foundPageQuery = accountPageQuery.extend(wordsQuery.shape);

export const STANDARD_LIMIT = 1000;

/** A list of records: newest first. */
export function listAnswer<Item extends z.ZodType>(item: Item) {
  return z.strictObject({ object: z.literal('list'), data: z.array(item) });
}

export function listOf<Item>(data: Item[]) {
  return { object: 'list' as const, data };
}

type ListAnswer<Item extends z.ZodType> = ReturnType<typeof listAnswer<Item>>;

/** The fields that a list may be asked for. */
interface Asked {
  limit?: number | undefined;
  after?: string | undefined;
  account_id?: string | undefined;
  q?: string | undefined;
}

/** A page of a list: its query, with the rows that it begins below. */
export type Page<Query extends z.ZodType> = Omit<z.output<Query>, 'limit' | 'account_id'> & {
  limit: number;
  accountId: string | undefined;
  /** The position of what `after` names, of a list with `positionOf`. */
  before: number;
};

interface ResourceParts<Path, Row, Item extends z.ZodType> {
  /** In messages, such as `fault rule`. */
  what: string;
  path: Path;
  /** One record as JSON. */
  record: Item;
  /** May throw its own error for an unknown id. */
  find(context: Context, id: string): Row | undefined;
  /** Is called once for each answer. */
  view(call: { context: Context; baseUrl: string }): (row: Row) => z.input<Item>;
  /** The error for an unknown id; by default it names the list. */
  missing?(id: string): EmulatorError;
  /** The account that a deletion is noted for. */
  ownerOf?(row: Row): string | null;
}

interface ListParts<Name, Row, Query extends z.ZodType> {
  name: Name;
  summary: string;
  query: Query;
  rows(context: Context, page: Page<Query>): readonly Row[] | Promise<readonly Row[]>;
  /** The position of a row, where `rows` wants to know `before`. */
  positionOf?(context: Context, id: string): number | undefined;
  /** A page may begin after a row that was deleted. */
  isDeletable?: true;
  /** By which index `q` is searched; then `rows` is asked only where there is no `q`. */
  search?: Kind;
  /** Which of the rows that were found fit the rest of the query. */
  keeps?(row: Row, page: Page<Query>): boolean;
}

/** The list, the get and the delete of one kind of record of the control surface. */
export class Resource<const Path extends string, Row, Item extends z.ZodType> {
  readonly #parts: ResourceParts<Path, Row, Item>;

  constructor(parts: ResourceParts<Path, Row, Item>) {
    this.#parts = parts;
  }

  /** Throws `not_found`. */
  require(context: Context, id: string): Row {
    const row = this.#parts.find(context, id);
    if (row) return row;
    throw this.missing(id);
  }

  /** Newest first. */
  list<const Name extends string, Query extends z.ZodType>(
    list: ListParts<Name, Row, Query>,
  ): TypedOperation<{ name: Name; path: Path; query: Query; body: undefined; answer: ListAnswer<Item> }> {
    const { name, summary, query } = list;
    const { path, record, view } = this.#parts;
    const made: Operation = {
      ...{ name, method: 'GET', path, summary, access: 'local', query, answer: listAnswer(record) },
      handle: async (call: Call<Asked, undefined>) => {
        const rows = await this.#rows(list, call);
        return listOf(rows.map(view(call)));
      },
    };
    return made;
  }

  get<const Name extends string, Answer extends z.ZodType = Item>(get: {
    name: Name;
    summary: string;
    /** Where one by itself has more than one in the list. */
    answer?: Answer;
    view?(call: { context: Context; baseUrl: string }): (row: Row) => z.input<Answer>;
  }): TypedOperation<{ name: Name; path: `${Path}/:id`; query: undefined; body: undefined; answer: Answer }> {
    const { name, summary, answer = this.#parts.record, view = this.#parts.view } = get;
    const made: Operation = {
      ...{ name, method: 'GET', path: `${this.#parts.path}/:id`, summary, access: 'local', answer },
      handle: (call) => view(call)(this.require(call.context, call.param('id'))),
    };
    return made;
  }

  /** Notes the record as it was. `remove` answers false where it was gone already. */
  remove<const Name extends string>(parts: {
    name: Name;
    summary: string;
    remove(context: Context, row: Row): unknown;
  }) {
    const { path, view, ownerOf } = this.#parts;
    return deletion({
      ...parts,
      path: `${path}/:id` as const,
      act: async (call) => {
        const { context } = call;
        const id = call.param('id');
        const row = this.require(context, id);
        const was = view(call)(row);
        if ((await parts.remove(context, row)) === false) throw this.missing(id);
        context.record.deleted(id, Object(was), ownerOf?.(row));
      },
    });
  }

  async #rows<Query extends z.ZodType>(
    list: ListParts<string, Row, Query>,
    { context, query }: Call<Asked, undefined>,
  ): Promise<readonly Row[]> {
    const { limit = STANDARD_LIMIT, account_id: accountId, ...rest } = query;
    const { after, q } = rest;
    const { positionOf, isDeletable, search, keeps } = list;
    const deleted = (id: string) => (isDeletable ? tombstones(context.database, id)?.position : undefined);
    const before = positionAfter(positionOf && after, (id) => positionOf?.(context, id) ?? deleted(id));
    const page = { ...rest, accountId, limit, before } as Page<Query>;
    if (!search || !q) return list.rows(context, page);
    const rowOf = (id: string) => {
      const row = this.#parts.find(context, id);
      return row && (!keeps || keeps(row, page)) ? row : undefined;
    };
    return foundRows((part) => context.search.idsOf(search, q, { accountId, ...part }), rowOf, { after, limit });
  }

  /** The `not_found` of an unknown id. */
  missing(id: string): EmulatorError {
    const { what, path, missing } = this.#parts;
    return missing ? missing(id) : noSuch(what, path, id);
  }
}

/** A DELETE, answered 204. */
export function deletion<
  const Name extends string,
  const Path extends string,
  Query extends z.ZodType | undefined = undefined,
>(parts: {
  name: Name;
  path: Path;
  summary: string;
  query?: Query;
  ungated?: true;
  act(call: Call<Query extends z.ZodType ? z.output<Query> : undefined, undefined>): unknown;
}): TypedOperation<{ name: Name; path: Path; query: Query; body: undefined; answer: 'nothing' }> {
  const { act, ...shape } = parts;
  const made: Operation = {
    ...shape,
    ...{ method: 'DELETE', access: 'local', status: 204, answer: 'nothing' },
    async handle(call: Parameters<typeof act>[0]) {
      await act(call);
      return new NoContent();
    },
  };
  return made;
}

/** The position that a page begins below. Throws `invalid_request` when `after` names nothing. */
export function positionAfter(after: string | undefined, find: (id: string) => number | undefined): number {
  const position = after === undefined ? Number.MAX_SAFE_INTEGER : find(after);
  if (position !== undefined) return position;
  throw noneOfList(after);
}

/** The error for an `after` that names nothing of a list. */
export function noneOfList(after = ''): EmulatorError {
  return invalid('after', `after must be an id of this list; "${after.slice(0, 80)}" is none. Begin anew without it.`);
}

function noSuch(what: string, path: string, id: string): EmulatorError {
  return new EmulatorError('not_found', `There is no ${what} "${id.slice(0, 80)}"; GET ${path} lists those there are.`);
}

/** Of what a search finds, page by page, the rows that are wanted: `rowOf` answers undefined for the others. */
async function foundRows<Row>(
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
