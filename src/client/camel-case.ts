import { z } from 'zod';

type CamelKey<Key> = Key extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<CamelKey<Tail>>}` : Key;

/** The same with its fields in camel case; keys of a record are somebody's own and stay. */
export type Camel<T> = T extends readonly (infer Item)[]
  ? Camel<Item>[]
  : T extends object
    ? { [Key in keyof T as string extends Key ? Key : CamelKey<Key>]: Camel<T[Key]> }
    : T;

/** What a schema gives, as JSON has it, in camel case. What it leaves open, such as a record or `unknown`, stays as it is. */
export function toCamel(value: unknown, schema: z.ZodType): unknown {
  return walk(value, branchesOf(schema), (name) => camel(name));
}

/** What is given in camel case as a schema takes it; a field that it does not know stays, for the emulator to refuse. */
export function toSnake(value: unknown, schema: z.ZodType): unknown {
  return walk(value, branchesOf(schema), (name, known) => known.find((each) => camel(each) === name) ?? name);
}

function camel(name: string): string {
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

/** The objects, arrays and records that a value of a schema may be. */
function branchesOf(schema: z.ZodType | undefined): z.ZodType[] {
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((each) => branchesOf(each as z.ZodType));
  if (schema instanceof z.ZodPipe) return branchesOf(schema.in as z.ZodType);
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault) {
    return branchesOf(schema.unwrap() as z.ZodType);
  }
  return schema ? [schema] : [];
}
