import { z } from 'zod';

/** JSON Schema (draft 2020-12, as OpenAPI 3.1 has it). */
export type JsonSchema = Record<string, unknown>;

/** What a schema takes (`input`) or gives (`output`) as JSON Schema. What no schema can say is left to the descriptions. */
export function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema, ...described } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ jsonSchema }) => dropSafeBounds(jsonSchema),
  });
  return described;
}

/** Every integer of a program lies within these bounds: saying so tells a reader nothing. */
function dropSafeBounds(described: JsonSchema): void {
  if (described.minimum === Number.MIN_SAFE_INTEGER) delete described.minimum;
  if (described.maximum === Number.MAX_SAFE_INTEGER) delete described.maximum;
}
