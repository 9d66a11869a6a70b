import type { z } from 'zod';
import type { Permission } from '../../engine/accounts/roles.ts';
import type { PaidOperation } from '../../engine/faults/paid-work.ts';
import type { MatchKey } from '../fixtures/fixture-schema.ts';
import type { Call } from './request.ts';
import type { Reply } from './send.ts';

/** Who may call: anyone, the bearer of a key, a key whose role has a permission, or a program on this machine. */
export type Access = 'public' | 'key' | Permission | 'local';

type Schema = z.ZodType;
type Output<S> = S extends Schema ? z.output<S> : undefined;

/** The shape of an operation, from which its route, its validation and its part of the OpenAPI document follow. */
export interface OperationShape {
  /** The operationId, as in `createChatCompletion`. */
  name: string;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Express path: `/v1/storage/objects/:id`. */
  path: string;
  summary: string;
  access: Access;
  query?: Schema;
  /** A second name of a field of the query, for generated clients in languages that reserve the first. */
  alias?: { readonly field: string; readonly name: string };
  /** The work of a paid operation, which decides which faults can act on it. */
  paid?: PaidOperation;
  /** Webhooks announce the end of what it starts, although it is not paid itself. */
  announces?: true;
  /** The JSON body; of an upload, its text fields. */
  body?: Schema;
  /** The largest JSON body in bytes; 32 MiB unless given. */
  bodyLimit?: number;
  /** The multipart field that carries the file. */
  upload?: string;
  /** Unknown fields that strict mode lets pass, since they ask for what happens anyway. */
  ignorableFields?: (body: Record<string, unknown>) => string[];
  /** It does not pass the state barrier, because it replaces the whole state or does not use it. */
  ungated?: true;
  /** Status of the JSON answer; 200 unless given. */
  status?: number;
  /** The JSON answer, `nothing`, or the media type of another one. */
  answer: Schema | string;
  /** The JSON answer of a 202, where the operation may defer the work. */
  accepted?: Schema;
  /** The JSON of each server-sent event, where the answer can be streamed. */
  streamed?: Schema;
}

/** One operation: its shape and what it does. The handler returns the answer and never writes it. */
export interface Operation extends OperationShape {
  /** Of an operation that generates something: what scripted answers are matched against. */
  matchKey?: (body: unknown) => MatchKey;
  /**
   * Refuses what the schema cannot check and the handler would refuse before its work. Called only before fault rules
   * and holds act: these leave invalid requests alone.
   */
  check?(call: Call<unknown, unknown>): void | Promise<void>;
  /** The account of a request without a key, for fault rules. Throws where there is none. */
  owner?(call: Call<unknown, unknown>): string;
  handle(call: Call<unknown, unknown>): unknown;
}

type Answered<Answer> = Answer extends Schema ? z.input<Answer> | Reply : Reply;

/** What distinguishes operations, and who may call. */
type Named = Pick<OperationShape, 'name' | 'method' | 'path' | 'access'>;

/** An operation as its file defines it, but for how it is called: the handler gets the outputs of the schemas. */
export type Written<Query, Body, Answer> = Omit<OperationShape, keyof Named | 'query' | 'body' | 'answer'> & {
  query?: Query;
  body?: Body;
  answer: Answer;
  matchKey?: (body: Output<Body>) => MatchKey;
  check?(call: Call<Output<Query>, Output<Body>>): void | Promise<void>;
  owner?(call: Call<Output<Query>, Output<Body>>): string;
  handle(call: Call<Output<Query>, Output<Body>>): Answered<Answer> | Promise<Answered<Answer>>;
};

/** The types of an operation, for typed callers such as the client. */
export interface OperationTypes {
  name: string;
  path: string;
  query: Schema | undefined;
  body: Schema | undefined;
  answer: Schema | string;
}

/** An operation with its types: `types` exists for the compiler only and is never set. */
export type TypedOperation<T extends OperationTypes> = Operation & { readonly types?: T };

/** Ties a handler to its shape, by type. */
export function operation<
  const Name extends string,
  const Path extends string,
  const Answer extends Schema | string,
  Query extends Schema | undefined = undefined,
  Body extends Schema | undefined = undefined,
>(
  written: Written<Query, Body, Answer> & Named & { name: Name; path: Path },
): TypedOperation<{ name: Name; path: Path; query: Query; body: Body; answer: Answer }> {
  return written as Operation;
}
