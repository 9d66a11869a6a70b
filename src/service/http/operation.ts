import type { z } from 'zod';
import type { Permission } from '../../engine/accounts/account-store.ts';
import type { PaidOperation } from '../../engine/catalogue/catalogue.ts';
import type { RequestMatchValues } from '../fixtures/fixture-schema.ts';
import type { NeutralValues } from './neutral-values.ts';
import type { Call } from './request.ts';
import type { Reply } from './send.ts';

/** `local` is a control operation, which `guardControl` has allowed. */
type Access = 'public' | 'key' | Permission | 'local';

type Schema = z.ZodType;
type Output<S> = S extends Schema ? z.output<S> : undefined;

export interface OperationShape {
  name: string;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  summary: string;
  access: Access;
  query?: Schema;
  /** A second name of a query field, for generated clients in languages that reserve the first. */
  alias?: { readonly field: string; readonly name: string };
  paid?: PaidOperation;
  /** Webhooks announce the end of the work, although the operation itself is not paid. */
  announces?: true;
  body?: Schema;
  /** In bytes; 32 MiB by default. */
  bodyLimit?: number;
  upload?: string;
  neutral?: NeutralValues;
  /**
   * Set if a reset or restore neither delays nor ends the operation, because it saves or replaces the whole state or does
   * not use it.
   */
  skipsBarrier?: true;
  status?: number;
  /** The schema of a JSON response, `nothing`, or the media type of another response. */
  answer: Schema | string;
  accepted?: Schema;
  streamed?: Schema;
}

/** The handler returns the response and never writes it. */
export interface Operation extends OperationShape {
  matchValues?: (body: unknown) => RequestMatchValues;
  /** Rejects what the schema cannot check, before the permission of the caller is checked. */
  validate?(call: Call<unknown, unknown>): void | Promise<void>;
  /** Called only if a rule, a hold or the latency profile may apply, because these leave invalid requests alone. */
  checkBeforeFaults?(call: Call<unknown, unknown>): void | Promise<void>;
  /** The account of a request without a key, for fault rules. Throws if there is none. */
  owner?(call: Call<unknown, unknown>): string;
  handle(call: Call<unknown, unknown>): unknown;
}

type Answered<Answer> = Answer extends Schema ? z.input<Answer> | Reply : Reply;

type Named = Pick<OperationShape, 'name' | 'method' | 'path' | 'access'>;

export type OperationDefinition<Query, Body, Answer> = Omit<
  OperationShape,
  keyof Named | 'query' | 'body' | 'answer'
> & {
  query?: Query;
  body?: Body;
  answer: Answer;
  matchValues?: (body: Output<Body>) => RequestMatchValues;
  validate?(call: Call<Output<Query>, Output<Body>>): void | Promise<void>;
  checkBeforeFaults?(call: Call<Output<Query>, Output<Body>>): void | Promise<void>;
  owner?(call: Call<Output<Query>, Output<Body>>): string;
  handle(call: Call<Output<Query>, Output<Body>>): Answered<Answer> | Promise<Answered<Answer>>;
};

interface OperationTypes {
  name: string;
  path: string;
  query: Schema | undefined;
  body: Schema | undefined;
  answer: Schema | string;
}

/** `types` exists for the compiler only and is never set. */
export type TypedOperation<T extends OperationTypes> = Operation & { readonly types?: T };

export function defineOperation<
  const Name extends string,
  const Path extends string,
  const Answer extends Schema | string,
  Query extends Schema | undefined = undefined,
  Body extends Schema | undefined = undefined,
>(
  written: OperationDefinition<Query, Body, Answer> & Named & { name: Name; path: Path },
): TypedOperation<{ name: Name; path: Path; query: Query; body: Body; answer: Answer }> {
  return written as Operation;
}
