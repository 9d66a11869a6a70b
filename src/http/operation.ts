import type { z } from 'zod';
import type { Permission } from '../accounts/roles.ts';
import type { PaidOperation } from '../faults/paid-work.ts';
import type { Asked } from '../fixtures/subject.ts';
import type { Call } from './call.ts';
import type { Reply } from './reply.ts';

/** Who may call: anyone, the bearer of a key, one whose role has a permission, or whoever is at this machine. */
export type Access = 'public' | 'key' | Permission | 'local';

type Schema = z.ZodType;
type Output<S> = S extends Schema ? z.output<S> : undefined;

/** What an operation is, told without doing it: the router, the validation and the OpenAPI document come from this. */
export interface OperationShape {
  /** The operationId, as in `createChatCompletion`. */
  name: string;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Express path: `/v1/storage/objects/:id`. */
  path: string;
  summary: string;
  access: Access;
  query?: Schema;
  /** What a field of the query may be called as well: for code made of the OpenAPI document, in languages that reserve it. */
  alias?: { readonly field: string; readonly name: string };
  /** What its work is, of a paid one: which faults can act on it follows. */
  paid?: PaidOperation;
  /** What it starts, without being paid itself, tells webhooks of its end. */
  announces?: true;
  /** The JSON body; of an upload, its text fields. */
  body?: Schema;
  /** The largest JSON body in bytes; 32 MiB unless given. */
  bodyLimit?: number;
  /** Fields of which only the beginning is read where they hold a long picture as a data URL. */
  skimmed?: readonly string[];
  /** The multipart field that carries the file. */
  upload?: string;
  /** The media type of a body that the handler reads by itself, as it comes. */
  stream?: string;
  /** Unknown fields that strict mode lets pass, since they ask for what happens anyway. */
  harmless?: (body: Record<string, unknown>) => string[];
  /** For what replaces the whole state or does not look at it: it neither waits at the gate nor is waited for. */
  ungated?: true;
  /** Status of the JSON answer; 200 unless given. */
  status?: number;
  /** The JSON answer, `nothing`, or the media type of another one. */
  answer: Schema | string;
  /** The JSON answer of a 202, where the operation may put the work off. */
  accepted?: Schema;
  /** The JSON of each server-sent event, where the answer can be streamed. */
  streamed?: Schema;
}

/** One operation: its shape and what it does. The handler returns the answer and never writes it. */
export interface Operation extends OperationShape {
  /** Of an operation that generates something: what scripted answers are matched against. */
  asked?: (body: unknown) => Asked;
  /**
   * Refuses what the schema cannot see and the handler would refuse before its work. Asked only where something else
   * could answer the request first: a fault rule strikes no request that is wrong by itself.
   */
  check?(call: Call<unknown, unknown>): void | Promise<void>;
  /** The account that a request without a key is about, to those who look at whose it is. Throws where there is none. */
  owner?(call: Call<unknown, unknown>): string;
  handle(call: Call<unknown, unknown>): unknown;
}

type Answered<Answer> = Answer extends Schema ? z.input<Answer> | Reply : Reply;

/** An operation as its file writes it: the handler sees what the schemas give. */
type Written<Query, Body, Answer> = Omit<OperationShape, 'query' | 'body' | 'answer'> & {
  query?: Query;
  body?: Body;
  answer: Answer;
  asked?: (body: Output<Body>) => Asked;
  check?(call: Call<Output<Query>, Output<Body>>): void | Promise<void>;
  owner?(call: Call<Output<Query>, Output<Body>>): string;
  handle(call: Call<Output<Query>, Output<Body>>): Answered<Answer> | Promise<Answered<Answer>>;
};

/** What the compiler keeps of an operation for those who call it, such as the client. */
export interface OperationTypes {
  name: string;
  path: string;
  query: Schema | undefined;
  body: Schema | undefined;
  answer: Schema | string;
}

/** An operation whose types are known: `told` is never set. */
export type TypedOperation<T extends OperationTypes> = Operation & { readonly told?: T };

/** Ties a handler to its shape, by type. */
export function operation<
  const Name extends string,
  const Path extends string,
  const Answer extends Schema | string,
  Query extends Schema | undefined = undefined,
  Body extends Schema | undefined = undefined,
>(
  written: Written<Query, Body, Answer> & { name: Name; path: Path },
): TypedOperation<{ name: Name; path: Path; query: Query; body: Body; answer: Answer }> {
  return written as Operation;
}
