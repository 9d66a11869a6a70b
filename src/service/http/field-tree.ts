import { z } from 'zod';
import type { ChoiceId } from '../../base/errors.ts';

/** The documented choice for errors in a field and its children, or for one kind of error of the field itself. */
interface Refusal {
  choice: ChoiceId;
  only?: 'too_small' | 'too_big';
}

/** Set with `schema.register(rejectionChoiceRegistry, …)`. OpenAPI documents do not contain it. */
export const rejectionChoiceRegistry = z.registry<Refusal>();

export interface FieldTree {
  takes?: string;
  number?: z.ZodNumber;
  fields?: Map<string, FieldTree>;
  items?: FieldTree;
  refusal?: Refusal;
}

export function buildFieldTree(schema: z.core.$ZodType): FieldTree {
  const takes = z.globalRegistry.get(schema)?.description;
  const refusal = rejectionChoiceRegistry.get(schema);
  return { ...structure(schema), ...(takes ? { takes } : {}), ...(refusal ? { refusal } : {}) };
}

function structure(schema: z.core.$ZodType): FieldTree {
  if (schema instanceof z.ZodObject) {
    const entries = Object.entries<z.core.$ZodType>(schema.shape);
    return { fields: new Map(entries.map(([name, field]) => [name, buildFieldTree(field)])) };
  }
  if (schema instanceof z.ZodNumber) return { number: schema };
  if (schema instanceof z.ZodArray) return { items: buildFieldTree(schema.element) };
  if (schema instanceof z.ZodUnion) return schema.options.map(buildFieldTree).reduce(merge, {});
  const inner = innerOf(schema);
  return inner ? buildFieldTree(inner) : {};
}

function innerOf(schema: z.core.$ZodType): z.core.$ZodType | undefined {
  if (schema instanceof z.ZodPipe) return schema.in instanceof z.ZodTransform ? schema.out : schema.in;
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

function merge(a: FieldTree, b: FieldTree): FieldTree {
  const fields = a.fields || b.fields ? new Map([...(a.fields ?? []), ...(b.fields ?? [])]) : undefined;
  const items = a.items && b.items ? merge(a.items, b.items) : (a.items ?? b.items);
  return { ...(fields ? { fields } : {}), ...(items ? { items } : {}) };
}

export function choiceOfField(tree: FieldTree, path: PropertyKey[], code: string): ChoiceId | undefined {
  const around = path.map((_, at) => findFieldAtPath(tree, path.slice(0, at + 1))?.refusal);
  const isMeant = ({ only }: Refusal, at: number) => !only || (only === code && at === path.length - 1);
  return around.findLast((refusal, at) => refusal && isMeant(refusal, at))?.choice;
}

export function findFieldAtPath(tree: FieldTree, path: PropertyKey[]): FieldTree | undefined {
  return path.reduce<FieldTree | undefined>(
    (node, step) => (typeof step === 'number' ? node?.items : node?.fields?.get(String(step))),
    tree,
  );
}

export function parseFieldPath(field: string): PropertyKey[] {
  return field.split('.').map((step) => (/^\d+$/.test(step) ? Number(step) : step));
}
