import type { z } from 'zod';
import type { Operation, OperationDefinition, OperationShape, TypedOperation } from '../service/http/operation.ts';
import type { Call } from '../service/http/request.ts';
import { NoContentReply } from '../service/http/send.ts';

function operationsOf(method: OperationShape['method']) {
  return <
    const Name extends string,
    const Path extends string,
    const Answer extends z.ZodType | string,
    Query extends z.ZodType | undefined = undefined,
    Body extends z.ZodType | undefined = undefined,
  >(
    name: Name,
    path: Path,
    written: OperationDefinition<Query, Body, Answer>,
  ): TypedOperation<{ name: Name; path: Path; query: Query; body: Body; answer: Answer }> => {
    return { name, method, path, access: 'local', ...written } as Operation;
  };
}

export const defineGet = operationsOf('GET');
export const definePost = operationsOf('POST');
export const definePut = operationsOf('PUT');
export const definePatch = operationsOf('PATCH');

interface Deletion<Query extends z.ZodType | undefined> {
  summary: string;
  query?: Query;
  skipsBarrier?: true;
  act(call: Call<Query extends z.ZodType ? z.output<Query> : undefined, undefined>): unknown;
}

const defineDeletion = operationsOf('DELETE');

export function defineDelete<
  const Name extends string,
  const Path extends string,
  Query extends z.ZodType | undefined = undefined,
>(name: Name, path: Path, { act, ...shape }: Deletion<Query>) {
  const handle = async (call: Parameters<typeof act>[0]) => {
    await act(call);
    return new NoContentReply();
  };
  const deletion = { ...shape, status: 204, answer: 'nothing', handle };
  return defineDeletion(name, path, deletion as OperationDefinition<Query, undefined, 'nothing'>);
}

/** `audio` for /v1/audio/speech, `clock` for /_emulator/clock. */
export function subjectOfPath(path: string): string {
  return path.split('/')[2] ?? '';
}
