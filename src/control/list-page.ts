import { z } from 'zod';
import { unknownCursorError } from '../base/database/list-queries.ts';
import { EmulatorError, quoted } from '../base/errors.ts';
import { optional } from '../base/schemas.ts';
import type { Context } from '../service/http/context.ts';

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

export type ListSchema<Item extends z.ZodType> = ReturnType<typeof listSchema<Item>>;

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

export type PageRequest<Query extends z.ZodType> = Omit<z.output<Query>, 'limit' | 'account_id'> & {
  limit: number;
  accountId: string | undefined;
  before: number;
};

export function cursorPosition(after: string | undefined, find: (id: string) => number | undefined): number {
  const position = after === undefined ? Number.MAX_SAFE_INTEGER : find(after);
  if (position !== undefined) return position;
  throw unknownCursorError('an item of this list', after ?? '');
}

export function notFoundError(what: string, path: string, id: string): EmulatorError {
  return new EmulatorError('not_found', `There is no ${what} ${quoted(id)}. GET ${path} lists them.`);
}
