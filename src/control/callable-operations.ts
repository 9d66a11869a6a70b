import { z } from 'zod';
import { InputReader } from '../service/http/input.ts';
import type { Operation } from '../service/http/operation.ts';
import { formatPathTemplate } from '../service/unknown-path.ts';
import { INVALID_RECORD_ID_MESSAGE, isSafePathParameter, requireOperationRoute } from './call-operation.ts';
import { subjectOfPath } from './control-operation.ts';
import { CONTROL_OPERATIONS } from './control-routes.ts';
import { OPERATION_ROUTES } from './operation-routes.ts';

export type CallableOperation = ReturnType<typeof callable>;

export const CALLABLE_OPERATIONS = CONTROL_OPERATIONS.filter(({ name }) => Object.hasOwn(OPERATION_ROUTES, name)).map(
  callable,
);

export function requireCallableOperation(name: string): CallableOperation {
  requireOperationRoute(name);
  return CALLABLE_OPERATIONS.find((each) => each.name === name) as CallableOperation;
}

function callable({ name, method, path, summary, answer, query, body }: Operation) {
  const ids = [...path.matchAll(/:(\w+)/g)].map(([, parameter = '']) => {
    const id = z.string().refine(isSafePathParameter, INVALID_RECORD_ID_MESSAGE);
    return [parameter, id.describe(`the ${parameter} in ${formatPathTemplate(path)}.`)];
  });
  const input = z.strictObject({ ...Object.fromEntries(ids), ...shapeOf(query), ...shapeOf(body) });
  const reader = new InputReader(input);
  /** Throws `invalid_request` for an unknown, missing or invalid field. */
  const check = (given: Readonly<Record<string, unknown>>) => void reader.readKnown(given);
  return { name, method, path, summary, answer, subject: subjectOfPath(path), input, check };
}

function shapeOf(schema: z.ZodType | undefined): z.ZodRawShape {
  return schema instanceof z.ZodObject ? schema.shape : {};
}
