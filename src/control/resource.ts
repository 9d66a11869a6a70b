import { z } from 'zod';
import { unknownCursorError } from '../base/database/list-queries.ts';
import { EmulatorError, quoted } from '../base/errors.ts';
import { optional } from '../base/schemas.ts';
import type { Context } from '../service/http/context.ts';
import type { Operation, TypedOperation } from '../service/http/operation.ts';
import type { Call } from '../service/http/request.ts';
import { defineDelete } from './control-operation.ts';
import { findRecords } from './search/search.ts';
import type { RecordKind } from './search/search-store.ts';

export const pageQuerySchema = z.object({
  limit: optional(z.coerce.number().int().min(1).max(1000)).describe(
    'a whole number from 1 to 1,000 (default: 1,000).',
  ),
  after: optional(z.string()).describe('the id of the last entry of the previous page.'),
});

export const accountQuerySchema = z.object({
  account_id: optional(z.string()).describe('the id of an account.'),
});

export const accountPageQuerySchema = pageQuerySchema.extend(accountQuerySchema.shape);

export const searchWordsQuerySchema = z.object({
  q: optional(z.string().max(200)).describe('search words, at most 200 characters.'),
});

export const searchPageQuerySchema = accountPageQuerySchema.extend(searchWordsQuerySchema.shape);

export const DEFAULT_PAGE_LIMIT = 1000;

export function listSchema<Item extends z.ZodType>(item: Item) {
  return z.strictObject({ object: z.literal('list'), data: z.array(item) });
}

export function toListResponse<Item>(data: Item[]) {
  return { object: 'list' as const, data };
}

export function cursorPosition(after: string | undefined, find: (id: string) => number | undefined): number {
  const position = after === undefined ? Number.MAX_SAFE_INTEGER : find(after);
  if (position !== undefined) return position;
  throw unknownCursorError('an item of this list', after ?? '');
}

export function notFoundError(what: string, path: string, id: string): EmulatorError {
  return new EmulatorError('not_found', `There is no ${what} ${quoted(id)}. GET ${path} lists them.`);
}

export type ListInput = Partial<z.output<typeof searchPageQuerySchema>>;

export interface ViewSource {
  context: Context;
  baseUrl: string;
}

/** Reads a list without a request, for traces. */
export interface ListReader<Row> {
  name: string;
  rows(context: Context, input: ListInput): Promise<readonly Row[]>;
  view(source: ViewSource): (row: Row) => object;
}

type PageRequest<Query extends z.ZodType> = Omit<z.output<Query>, 'limit' | 'account_id'> & {
  limit: number;
  accountId: string | undefined;
  before: number;
};

interface ResourceParts<Path, Row, Item extends z.ZodType> {
  what: string;
  path: Path;
  record: Item;
  /** Left out if single records are neither shown nor removed, and no list searches them. */
  find?(context: Context, id: string): Row | undefined;
  view(source: ViewSource): (row: Row) => z.input<Item>;
  missing?(id: string): EmulatorError;
}

interface ListParts<Name, Row, Query extends z.ZodType> {
  name: Name;
  summary: string;
  query: Query;
  rows(context: Context, page: PageRequest<Query>): readonly Row[] | Promise<readonly Row[]>;
  /**
   * Finds the position of a record, after which a list continues. Without it, `rows` must continue after `page.after`
   * itself.
   */
  positionOf?(context: Context, id: string): number | undefined;
  /** The kind of records that the parameter `q` searches. If it is set, `rows` is called only without `q`. */
  search?: RecordKind;
  keeps?(row: Row, page: PageRequest<Query>): boolean;
}

export class Resource<const Path extends string, Row, Item extends z.ZodType> {
  readonly view: ResourceParts<Path, Row, Item>['view'];
  readonly #parts: ResourceParts<Path, Row, Item>;

  constructor(parts: ResourceParts<Path, Row, Item>) {
    this.view = parts.view;
    this.#parts = parts;
  }

  require(context: Context, id: string): Row {
    const row = this.#parts.find?.(context, id);
    if (row) return row;
    throw this.#missing(id);
  }

  list<const Name extends string, Query extends z.ZodType>(list: ListParts<Name, Row, Query>) {
    const { name, summary, query, positionOf, search, keeps = () => true } = list;
    const { path, record, view, find } = this.#parts;
    const rows = async (context: Context, input: ListInput): Promise<readonly Row[]> => {
      const { limit = DEFAULT_PAGE_LIMIT, account_id: accountId, ...rest } = input;
      const { after, q } = rest;
      const before = cursorPosition(positionOf && after, (id) => positionOf?.(context, id));
      const page = { ...rest, accountId, limit, before } as PageRequest<Query>;
      if (!search || !q) return list.rows(context, page);
      const kept: Row[] = [];
      const parts = { kinds: [search], accountId, limit };
      let found = await findRecords(context, q, { ...parts, after });
      for (;;) {
        const matching = found.map(({ id }) => find?.(context, id)).filter((row) => row !== undefined);
        kept.push(...matching.filter((row) => keeps(row, page)));
        if (kept.length >= limit || found.length < limit) return kept.slice(0, limit);
        found = await findRecords(context, q, { ...parts, after: found.at(-1)?.id });
      }
    };
    const answer = listSchema(record);
    const handle = async (call: Call<ListInput, undefined>) =>
      toListResponse((await rows(call.context, call.query)).map(view(call)));
    type Types = { name: Name; path: Path; query: Query; body: undefined; answer: typeof answer };
    const operation = { name, method: 'GET', path, summary, access: 'local', query, answer, rows, view, handle };
    return operation as Operation & TypedOperation<Types> & ListReader<Row>;
  }

  get<const Name extends string, Answer extends z.ZodType = Item>(get: {
    name: Name;
    summary: string;
    answer?: Answer;
    view?(source: ViewSource): (row: Row) => z.input<Answer>;
  }): TypedOperation<{ name: Name; path: `${Path}/:id`; query: undefined; body: undefined; answer: Answer }> {
    const { name, summary, answer = this.#parts.record, view = this.#parts.view } = get;
    const shape = { name, method: 'GET', path: `${this.#parts.path}/:id`, summary, access: 'local', answer } as const;
    return { ...shape, handle: (call) => view(call)(this.require(call.context, call.param('id'))) };
  }

  remove<const Name extends string>(parts: {
    name: Name;
    summary: string;
    remove(context: Context, row: Row): unknown;
  }) {
    const { name, summary, remove } = parts;
    const { path, view } = this.#parts;
    return defineDelete(name, `${path}/:id` as const, {
      summary,
      act: async (call) => {
        const { context } = call;
        const id = call.param('id');
        const row = this.require(context, id);
        const was = view(call)(row);
        if ((await remove(context, row)) === false) throw this.#missing(id);
        context.records.audit.deleted(id, Object(was), Object(row).accountId);
      },
    });
  }

  #missing(id: string): EmulatorError {
    const { what, path, missing } = this.#parts;
    return missing ? missing(id) : notFoundError(what, path, id);
  }
}
