import { z } from 'zod';
import {
  type ListItem,
  type OperationName,
  requireOperationRoute,
  sendOperation,
  type Transport,
} from '../control/call-operation.ts';
import { CONTROL_OPERATIONS } from '../control/control-routes.ts';
import type { Operation } from '../service/http/operation.ts';
import type { OperationAnswer } from './client-records.ts';

/**
 * Calls a control operation. A list without other fields becomes the array of its records. Names of fields are
 * converted, but not the keys of an object that the user defines, such as the inputs of a flow.
 */
export async function callInCamelCase(transport: Transport, name: string, input: object = {}): Promise<unknown> {
  const { query, body, answer } = schemasOf(name);
  const fields = toSnake(input, body ?? query ?? NOTHING) as Record<string, unknown>;
  const answered = await sendOperation(name, fields, transport);
  if (typeof answer === 'string') return answered;
  requireAnswer(name, answered, answer);
  const camel = toCamel(answered, answer);
  return isPlainList(camel) ? camel.data : camel;
}

export function toCamelCaseResponse<Name extends OperationName>(name: Name, record: unknown): OperationAnswer<Name> {
  const { answer } = schemasOf(name);
  return toCamel(record, answer as z.ZodType) as OperationAnswer<Name>;
}

export function toCamelCaseItem<Name extends OperationName>(
  name: Name,
  record: unknown,
): ListItem<OperationAnswer<Name>> {
  const { answer } = schemasOf(name);
  const { data } = toCamel({ data: [record] }, answer as z.ZodType) as { data: unknown[] };
  return data[0] as ListItem<OperationAnswer<Name>>;
}

const NOTHING = z.object({});

/** Throws `TypeError` for a response that does not fit its schema, because an assertion on it would prove nothing. */
function requireAnswer(name: string, answered: unknown, schema: z.ZodType): void {
  const [issue] = schema.safeParse(answered).error?.issues ?? [];
  if (!issue) return;
  const field = issue.path.join('.') || 'the whole';
  throw new TypeError(
    `${name} got a response that svc-emulator never sends (${field}: ${issue.message}). Check the address, and that both have the same version.`,
  );
}

const OPERATIONS = new Map<string, Operation>(CONTROL_OPERATIONS.map((each) => [each.name, each]));

function schemasOf(name: string): Pick<Operation, 'query' | 'body' | 'answer'> {
  requireOperationRoute(name);
  return OPERATIONS.get(name) as Operation;
}

function isPlainList(answer: unknown): answer is { data: unknown[] } {
  const { object, data, ...more } = Object(answer) as Record<string, unknown>;
  return object === 'list' && Array.isArray(data) && Object.keys(more).length === 0;
}

function toCamel(value: unknown, schema: z.ZodType): unknown {
  return walk(value, schema, (name, { camelNames }) => camelNames.get(name) ?? camelName(name));
}

/** Unknown fields stay, so that the emulator rejects them. */
function toSnake(value: unknown, schema: z.ZodType): unknown {
  return walk(value, schema, (name, { snakeNames }) => snakeNames.get(name) ?? name);
}

function camelName(name: string): string {
  return name.replace(/(?<=.)_+(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function walk(value: unknown, schema: z.ZodType | undefined, rename: (name: string, shape: Shape) => string): unknown {
  if (typeof value !== 'object' || value === null || !schema) return value;
  const shape = shapeOf(schema);
  if (Array.isArray(value)) return value.map((item) => walk(item, shape.items, rename));
  const fields = Object.entries(value).map(([name, field]) => {
    if (!shape.isObject) return [name, walk(field, shape.values, rename)];
    const renamed = rename(name, shape);
    return [renamed, walk(field, shape.fields.get(name) ?? shape.fields.get(renamed), rename)];
  });
  return Object.fromEntries(fields);
}

interface Shape {
  isObject: boolean;
  fields: ReadonlyMap<string, z.ZodType>;
  camelNames: ReadonlyMap<string, string>;
  snakeNames: ReadonlyMap<string, string>;
  items: z.ZodType | undefined;
  values: z.ZodType | undefined;
}

/** Reading a schema takes longer than converting a response, so it is read once. */
const SHAPES = new WeakMap<z.ZodType, Shape>();

function shapeOf(schema: z.ZodType): Shape {
  const known = SHAPES.get(schema);
  if (known) return known;
  const branches = branchesOf(schema);
  const objects = branches.filter((each) => each instanceof z.ZodObject);
  const all = objects.flatMap(({ shape }) => Object.entries<z.ZodType>(shape));
  const fields = new Map(
    all.map(([name]) => [name, merged(all.flatMap(([each, field]) => (each === name ? [field] : []))) as z.ZodType]),
  );
  const camelNames = new Map([...fields.keys()].map((name) => [name, camelName(name)]));
  const shape = {
    isObject: objects.length > 0,
    fields,
    camelNames,
    snakeNames: new Map([...camelNames].map(([name, camel]) => [camel, name])),
    items: merged(branches.flatMap((each) => (each instanceof z.ZodArray ? [each.element as z.ZodType] : []))),
    values: merged(branches.flatMap((each) => (each instanceof z.ZodRecord ? [each.valueType as z.ZodType] : []))),
  };
  SHAPES.set(schema, shape);
  return shape;
}

function merged(schemas: readonly z.ZodType[]): z.ZodType | undefined {
  return schemas.length > 1 ? z.union(schemas) : schemas[0];
}

function branchesOf(schema: z.ZodType): z.ZodType[] {
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((each) => branchesOf(each as z.ZodType));
  if (schema instanceof z.ZodPipe) return branchesOf(schema.in as z.ZodType);
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault) {
    return branchesOf(schema.unwrap() as z.ZodType);
  }
  return [schema];
}
