import { z } from 'zod';
import { type ItemOf, type OperationName, routeOf, sendOperation, type Transport } from '../control/call-operation.ts';
import type { Operation } from '../service/http/operation.ts';
import type { AnswerOf } from './client-records.ts';

/**
 * Takes and returns camel case; a list returns its records. The schemas convert the names, so the keys of a user's
 * own object do not change. They are loaded at the first call.
 */
export async function callInCamelCase(transport: Transport, name: string, input: object = {}): Promise<unknown> {
  const { query, body, answer } = await schemasOf(name);
  const fields = toSnake(input, body ?? query ?? NOTHING) as Record<string, unknown>;
  const answered = await sendOperation(name, fields, transport);
  if (typeof answer === 'string') return answered;
  requireAnswer(name, answered, answer);
  const camel = toCamel(answered, answer);
  return isPlainList(camel) ? camel.data : camel;
}

export async function asAnswerOf<Name extends OperationName>(name: Name, record: unknown): Promise<AnswerOf<Name>> {
  const { answer } = await schemasOf(name);
  return toCamel(record, answer as z.ZodType) as AnswerOf<Name>;
}

export async function asItemOf<Name extends OperationName>(
  name: Name,
  record: unknown,
): Promise<ItemOf<AnswerOf<Name>>> {
  const { answer } = await schemasOf(name);
  const { data } = toCamel({ data: [record] }, answer as z.ZodType) as { data: unknown[] };
  return data[0] as ItemOf<AnswerOf<Name>>;
}

const NOTHING = z.object({});

/** Throws `TypeError` for a value that no emulator returns: an assertion on it would prove nothing. */
function requireAnswer(name: string, answered: unknown, schema: z.ZodType): void {
  const [issue] = schema.safeParse(answered).error?.issues ?? [];
  if (!issue) return;
  const field = issue.path.join('.') || 'the whole';
  throw new TypeError(
    `${name} got a response that svc-emulator never sends (${field}: ${issue.message}). Check the address, and that both have the same version.`,
  );
}

/** Throws `TypeError` for an unknown name. */
async function schemasOf(name: string): Promise<Pick<Operation, 'query' | 'body' | 'answer'>> {
  routeOf(name);
  const { CONTROL } = await import('../control/control-routes.ts');
  return CONTROL.find((each) => each.name === name) as Operation;
}

function isPlainList(answer: unknown): answer is { data: unknown[] } {
  const { object, data, ...more } = Object(answer) as Record<string, unknown>;
  return object === 'list' && Array.isArray(data) && Object.keys(more).length === 0;
}

/** The keys of records and of `unknown` values do not change. */
function toCamel(value: unknown, schema: z.ZodType): unknown {
  return walk(value, branchesOf(schema), (name) => camelName(name));
}

/** Unknown fields are kept, so that the emulator rejects them. */
function toSnake(value: unknown, schema: z.ZodType): unknown {
  return walk(value, branchesOf(schema), (name, known) => known.find((each) => camelName(each) === name) ?? name);
}

function camelName(name: string): string {
  return name.replace(/(?<=.)_+(\w)/g, (_, letter: string) => letter.toUpperCase());
}

type Rename = (name: string, known: readonly string[]) => string;

function walk(value: unknown, branches: readonly z.ZodType[], rename: Rename): unknown {
  if (Array.isArray(value)) {
    const items = branches.flatMap((each) => (each instanceof z.ZodArray ? branchesOf(each.element as z.ZodType) : []));
    return value.map((item) => walk(item, items, rename));
  }
  if (typeof value !== 'object' || value === null) return value;
  const shapes = branches.flatMap((each) => (each instanceof z.ZodObject ? [each.shape as z.ZodRawShape] : []));
  const values = branches.flatMap((each) =>
    each instanceof z.ZodRecord ? branchesOf(each.valueType as z.ZodType) : [],
  );
  const known = shapes.flatMap((shape) => Object.keys(shape));
  const fields = Object.entries(value).map(([name, field]) => {
    if (shapes.length === 0) return [name, walk(field, values, rename)];
    const renamed = rename(name, known);
    const below = shapes.flatMap((shape) => branchesOf((shape[name] ?? shape[renamed]) as z.ZodType | undefined));
    return [renamed, walk(field, below, rename)];
  });
  return Object.fromEntries(fields);
}

function branchesOf(schema: z.ZodType | undefined): z.ZodType[] {
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((each) => branchesOf(each as z.ZodType));
  if (schema instanceof z.ZodPipe) return branchesOf(schema.in as z.ZodType);
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault) {
    return branchesOf(schema.unwrap() as z.ZodType);
  }
  return schema ? [schema] : [];
}
