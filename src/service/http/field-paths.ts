import { z } from 'zod';
import type { ChoiceId } from '../../base/errors.ts';

/** By which choice a value is refused: for any fault of its field and below it, or for one kind of issue of the field itself. */
interface Refusal {
  choice: ChoiceId;
  only?: 'too_small' | 'too_big';
}

/** The choices of fields, given by `schema.register(refusals, …)`; they are in no document. */
export const refusals = z.registry<Refusal>();

/** The fields of a schema: enough to name unknown fields, and to say what a field takes. */
export interface FieldTree {
  takes?: string;
  fields?: Map<string, FieldTree>;
  items?: FieldTree;
  refusal?: Refusal;
}

/** Reads the tree of a schema once, when its operation is mounted. */
export function fieldTree(schema: z.core.$ZodType): FieldTree {
  const takes = z.globalRegistry.get(schema)?.description;
  const refusal = refusals.get(schema);
  return { ...structure(schema), ...(takes ? { takes } : {}), ...(refusal ? { refusal } : {}) };
}

function structure(schema: z.core.$ZodType): FieldTree {
  if (schema instanceof z.ZodObject) {
    const entries = Object.entries<z.core.$ZodType>(schema.shape);
    return { fields: new Map(entries.map(([name, field]) => [name, fieldTree(field)])) };
  }
  if (schema instanceof z.ZodArray) return { items: fieldTree(schema.element) };
  if (schema instanceof z.ZodUnion) return schema.options.map(fieldTree).reduce(merge, {});
  const inner = innerOf(schema);
  return inner ? fieldTree(inner) : {};
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
  return { ...(fields ? { fields } : {}), ...(items ? { items } : {}) };
}

/** What the field at a path takes, in the words of its schema. */
export function takesAt(tree: FieldTree, path: PropertyKey[]): string | undefined {
  return nodeAt(tree, path)?.takes;
}

/** The choice by which an issue with the value at a path is refused: that of its field, or of one around it. */
export function choiceAt(tree: FieldTree, path: PropertyKey[], issue: string): ChoiceId | undefined {
  const around = path.map((_, at) => nodeAt(tree, path.slice(0, at + 1))?.refusal);
  const isMeant = ({ only }: Refusal, at: number) => !only || (only === issue && at === path.length - 1);
  return around.findLast((refusal, at) => refusal && isMeant(refusal, at))?.choice;
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

export function pathOf(field: string): PropertyKey[] {
  return field.split('.').map((step) => (/^\d+$/.test(step) ? Number(step) : step));
}
