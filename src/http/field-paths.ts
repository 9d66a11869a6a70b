import { z } from 'zod';
import { invalid } from '../errors.ts';

/** The fields of a schema: enough to name unknown fields, and to say what a field takes. */
export interface FieldTree {
  takes?: string;
  fields?: Map<string, FieldTree>;
  items?: FieldTree;
  /** The most items that a list may have. */
  most?: number;
}

/** Reads the tree of a schema once, when its operation is mounted. */
export function fieldTree(schema: z.core.$ZodType): FieldTree {
  const takes = z.globalRegistry.get(schema)?.description;
  return { ...structure(schema), ...(takes ? { takes } : {}) };
}

function structure(schema: z.core.$ZodType): FieldTree {
  if (schema instanceof z.ZodObject) {
    const entries = Object.entries<z.core.$ZodType>(schema.shape);
    return { fields: new Map(entries.map(([name, field]) => [name, fieldTree(field)])) };
  }
  if (schema instanceof z.ZodArray) return { items: fieldTree(schema.element), ...mostItems(schema) };
  if (schema instanceof z.ZodUnion) return schema.options.map(fieldTree).reduce(merge, {});
  const inner = innerOf(schema);
  return inner ? fieldTree(inner) : {};
}

function mostItems(schema: z.ZodArray): { most?: number } {
  const { maximum } = schema._zod.bag;
  return typeof maximum === 'number' ? { most: maximum } : {};
}

function innerOf(schema: z.core.$ZodType): z.core.$ZodType | undefined {
  if (schema instanceof z.ZodPipe) return schema.in;
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodReadonly
  ) {
    return schema.unwrap() as z.core.$ZodType;
  }
  return undefined;
}

/** A field that one form of a union knows is known. */
function merge(a: FieldTree, b: FieldTree): FieldTree {
  const fields = a.fields || b.fields ? new Map([...(a.fields ?? []), ...(b.fields ?? [])]) : undefined;
  const items = a.items && b.items ? merge(a.items, b.items) : (a.items ?? b.items);
  const most = a.most === undefined || b.most === undefined ? (a.most ?? b.most) : Math.max(a.most, b.most);
  return { ...(fields ? { fields } : {}), ...(items ? { items } : {}), ...(most === undefined ? {} : { most }) };
}

/** Paths of the fields that the schema does not know: `top_p`, `messages.0.name`. */
export function unknownFields(tree: FieldTree, value: unknown): string[] {
  const found: string[] = [];
  findUnknown(tree, value, '', found);
  return found;
}

/** Runs for every request: it allocates only for what it finds. */
function findUnknown(tree: FieldTree, value: unknown, path: string, found: string[]): void {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    const { items } = tree;
    if (!items?.fields && !items?.items) return;
    value.forEach((item, position) => {
      findUnknown(items, item, `${path}${position}.`, found);
    });
    return;
  }
  if (!tree.fields) return;
  for (const name of Object.keys(value)) {
    const known = tree.fields.get(name);
    if (!known) found.push(path + name);
    else if (known.fields || known.items) {
      findUnknown(known, Reflect.get(value, name), `${path}${name}.`, found);
    }
  }
}

/** What the field at a path takes, in the words of its schema. */
export function takesAt(tree: FieldTree, path: PropertyKey[]): string | undefined {
  return nodeAt(tree, path)?.takes;
}

/** The names of the fields that the object at a path knows. */
export function fieldsAt(tree: FieldTree, path: PropertyKey[]): string[] {
  return [...(nodeAt(tree, path)?.fields?.keys() ?? [])];
}

function nodeAt(tree: FieldTree, path: PropertyKey[]): FieldTree | undefined {
  return path.reduce<FieldTree | undefined>(
    (node, step) => (typeof step === 'number' ? node?.items : node?.fields?.get(String(step))),
    tree,
  );
}

/**
 * Throws `invalid_request` for a list that is longer than its schema accepts, before its items are validated: a schema
 * validates all of them first [I226].
 */
export function requireListBounds(tree: FieldTree, value: unknown, path = ''): void {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) requireItems(tree, value, path);
  else if (tree.fields) {
    for (const [name, field] of tree.fields) {
      if (field.fields || field.items) requireListBounds(field, Reflect.get(value, name), `${path}${name}.`);
    }
  }
}

function requireItems({ items, most, takes }: FieldTree, list: readonly unknown[], path: string): void {
  if (most !== undefined && list.length > most) {
    const param = path.slice(0, -1);
    const remedy = takes ? ` It takes: ${takes}` : '';
    throw invalid(param, `${param} must have at most ${most} items; got an array of ${list.length}.${remedy}`);
  }
  if (!items?.fields && !items?.items) return;
  for (const [position, item] of list.entries()) requireListBounds(items, item, `${path}${position}.`);
}
