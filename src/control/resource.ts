import type { z } from 'zod';
import { findDeletedRecord } from '../base/database/list-queries.ts';
import type { EmulatorError } from '../base/errors.ts';
import type { Context } from '../service/http/context.ts';
import type { Operation, TypedOperation } from '../service/http/operation.ts';
import type { Call } from '../service/http/request.ts';
import { defineDelete } from './control-operation.ts';
import {
  cursorPosition,
  DEFAULT_PAGE_LIMIT,
  type ListInput,
  type ListReader,
  type ListSchema,
  listSchema,
  notFoundError,
  type PageRequest,
  toListResponse,
  type ViewSource,
} from './list-page.ts';
import { findRecords } from './search/search.ts';
import type { RecordKind } from './search/search-store.ts';

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
  isDeletable?: true;
  /** The kind of records that the parameter `q` searches. If it is set, `rows` is called only without `q`. */
  search?: RecordKind;
  keeps?(row: Row, page: PageRequest<Query>): boolean;
}

export class Resource<const Path extends string, Row, Item extends z.ZodType> {
  readonly #parts: ResourceParts<Path, Row, Item>;

  constructor(parts: ResourceParts<Path, Row, Item>) {
    this.#parts = parts;
  }

  require(context: Context, id: string): Row {
    const row = this.#parts.find?.(context, id);
    if (row) return row;
    throw this.missing(id);
  }

  list<const Name extends string, Query extends z.ZodType>(
    list: ListParts<Name, Row, Query>,
  ): TypedOperation<{ name: Name; path: Path; query: Query; body: undefined; answer: ListSchema<Item> }> &
    ListReader<Row> {
    const { name, summary, query } = list;
    const { path, record, view } = this.#parts;
    const shape = { name, method: 'GET', path, summary, access: 'local', query, answer: listSchema(record) } as const;
    const rows = (context: Context, input: ListInput) => this.#rows(list, context, input);
    const handle = async (call: Call<ListInput, undefined>) =>
      toListResponse((await rows(call.context, call.query)).map(view(call)));
    return { ...shape, rows, view, handle } as Operation & ListReader<Row>;
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
        if ((await remove(context, row)) === false) throw this.missing(id);
        context.records.audit.deleted(id, Object(was), Object(row).accountId);
      },
    });
  }

  async #rows<Query extends z.ZodType>(
    list: ListParts<string, Row, Query>,
    context: Context,
    query: ListInput,
  ): Promise<readonly Row[]> {
    const { limit = DEFAULT_PAGE_LIMIT, account_id: accountId, ...rest } = query;
    const { after, q } = rest;
    const { positionOf, isDeletable, search, keeps = () => true } = list;
    const deleted = (id: string) => (isDeletable ? findDeletedRecord(context.database, id)?.position : undefined);
    const before = cursorPosition(positionOf && after, (id) => positionOf?.(context, id) ?? deleted(id));
    const page = { ...rest, accountId, limit, before } as PageRequest<Query>;
    if (!search || !q) return list.rows(context, page);
    const rows: Row[] = [];
    for (let from = after; ; ) {
      const found = await findRecords(context, q, { kinds: [search], accountId, after: from, limit });
      for (const { id } of found) {
        const row = this.#parts.find?.(context, id);
        if (row && keeps(row, page)) rows.push(row);
      }
      if (rows.length >= limit || found.length < limit) return rows.slice(0, limit);
      from = found.at(-1)?.id;
    }
  }

  missing(id: string): EmulatorError {
    const { what, path, missing } = this.#parts;
    return missing ? missing(id) : notFoundError(what, path, id);
  }
}
