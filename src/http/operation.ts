import type { z } from 'zod';
import type { Permission } from '../accounts/roles.ts';
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
  /** The JSON body; of an upload, its text fields. */
  body?: Schema;
  /** The multipart field that carries the file. */
  upload?: string;
  /** Unknown fields that strict mode lets pass, since they ask for what happens anyway. */
  harmless?: (body: Record<string, unknown>) => string[];
  /** Status of the JSON answer; 200 unless given. */
  status?: number;
  /** The JSON answer, or the media type of another one. */
  answer: Schema | string;
}

type InputOf<S extends OperationShape> = {
  query: Output<S['query']>;
  body: Output<S['body']>;
};

/** One operation: its shape and what it does. The handler returns the answer and never writes it. */
export interface Operation extends OperationShape {
  handle(call: Call<unknown, unknown>): unknown;
}

type Answer<S extends OperationShape> = S['answer'] extends Schema
  ? z.input<S['answer']> | Reply
  : Reply;

/** Ties a handler to its shape, by type. */
export function operation<const S extends OperationShape>(
  shape: S & {
    handle(call: Call<InputOf<S>['query'], InputOf<S>['body']>): Answer<S> | Promise<Answer<S>>;
  },
): Operation {
  return shape as Operation;
}
