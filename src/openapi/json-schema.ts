import { z } from 'zod';

/** JSON Schema (draft 2020-12, as OpenAPI 3.1 has it). */
export type JsonSchema = Record<string, unknown>;

/** What a schema takes (`input`) or gives (`output`) as JSON Schema. What no schema can say is left to the descriptions. */
export function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema, ...described } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override({ zodSchema, jsonSchema }) {
      dropSafeBounds(jsonSchema);
      if (io === 'output') describeTransformed(zodSchema, jsonSchema);
    },
  });
  return described;
}

/** Every integer of a program lies within these bounds: saying so adds nothing for a reader. */
function dropSafeBounds(described: JsonSchema): void {
  if (described.minimum === Number.MIN_SAFE_INTEGER) delete described.minimum;
  if (described.maximum === Number.MAX_SAFE_INTEGER) delete described.maximum;
}

/**
 * What a transform gives no schema can say. Those of the emulator leave a form as it is, but for what was null or left
 * out: that is absent.
 */
function describeTransformed(schema: z.core.$ZodType, described: JsonSchema): void {
  if (isTransformed(schema))
    Object.assign(described, { ...jsonSchema(presentPart(schema.in), 'output'), ...described });
  if (!(schema instanceof z.ZodObject) || !Array.isArray(described.required)) return;
  const fields: Record<string, z.core.$ZodType> = schema.shape;
  const required = described.required.filter((name: string) => !mayBeAbsent(fields[name]));
  if (required.length > 0) described.required = required;
  else delete described.required;
}

function isTransformed(schema: z.core.$ZodType | undefined): schema is z.ZodPipe<z.ZodType, z.ZodTransform> {
  return schema instanceof z.ZodPipe && schema.out instanceof z.ZodTransform;
}

/** A field with a value of its own is there, whatever was given. */
function mayBeAbsent(field: z.core.$ZodType | undefined): boolean {
  if (!isTransformed(field)) return false;
  const { success, data } = field.safeParse(undefined);
  return success && data === undefined;
}

function presentPart(schema: z.ZodType): z.ZodType {
  const isWrapped = schema instanceof z.ZodOptional || schema instanceof z.ZodNullable;
  return isWrapped ? presentPart(schema.unwrap() as z.ZodType) : schema;
}
