import { z } from 'zod';
import { InputReader } from '../service/http/input.ts';
import type { Operation } from '../service/http/operation.ts';
import { formatPathTemplate } from '../service/unknown-path.ts';
import { INVALID_RECORD_ID_MESSAGE, isSafePathParameter, requireOperationRoute } from './call-operation.ts';
import { subjectOfPath } from './control-operation.ts';
import { CONTROL_OPERATIONS } from './control-routes.ts';
import { OPERATION_ROUTES } from './operation-routes.ts';

export interface CallableOperation extends Pick<Operation, 'name' | 'method' | 'path' | 'summary' | 'answer'> {
  subject: string;
  input: z.ZodObject;
  /** Throws `invalid_request` for an unknown, missing or invalid field. */
  check(given: Readonly<Record<string, unknown>>): void;
}

export const CALLABLE_OPERATIONS: readonly CallableOperation[] = CONTROL_OPERATIONS.filter(({ name }) =>
  Object.hasOwn(OPERATION_ROUTES, name),
).map(callable);

export function requireCallableOperation(name: string): CallableOperation {
  requireOperationRoute(name);
  return CALLABLE_OPERATIONS.find((each) => each.name === name) as CallableOperation;
}

function callable({ name, method, path, summary, answer, query, body }: Operation): CallableOperation {
  const parameters = [...path.matchAll(/:(\w+)/g)].map(([, parameter = '']) => parameter);
  const ofPath = (parameter: string) =>
    z
      .string()
      .refine(isSafePathParameter, INVALID_RECORD_ID_MESSAGE)
      .describe(`the ${parameter} in ${formatPathTemplate(path)}.`);
  const ids = Object.fromEntries(parameters.map((each) => [each, ofPath(each)]));
  const input = z.strictObject({ ...ids, ...shapeOf(query), ...shapeOf(body) });
  const reader = new InputReader(input);
  const check = (given: Readonly<Record<string, unknown>>) => void reader.readKnown(given);
  return { name, method, path, summary, answer, subject: subjectOfPath(path), input, check };
}

function shapeOf(schema: z.ZodType | undefined): z.ZodRawShape {
  return schema instanceof z.ZodObject ? schema.shape : {};
}
