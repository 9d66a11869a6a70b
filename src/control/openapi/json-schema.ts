import { z } from 'zod';
import { MODEL_KIND_KEY } from '../../service/http/input.ts';

export type JsonSchema = Record<string, unknown>;

export const OPENAPI_VERSIONS = ['3.1', '3.0'] as const;
export type OpenapiVersion = (typeof OPENAPI_VERSIONS)[number];

export interface OpenapiDocumentOptions {
  version?: OpenapiVersion;
  modelIds?: (kind: unknown) => string[];
}

export function toJsonSchema(schema: z.ZodType, io: 'input' | 'output', form: OpenapiDocumentOptions = {}): JsonSchema {
  const { version = '3.1', modelIds } = form;
  const { $schema, ...described } = z.toJSONSchema(schema, {
    io,
    target: version === '3.0' ? 'openapi-3.0' : 'draft-2020-12',
    unrepresentable: 'any',
    override({ zodSchema, jsonSchema }) {
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      const { [MODEL_KIND_KEY]: kind } = jsonSchema;
      delete jsonSchema[MODEL_KIND_KEY];
      if (kind !== undefined && modelIds) jsonSchema.enum = modelIds(kind);
      if (version === '3.0') {
        withoutUnions(jsonSchema);
        // Removes the enum of a Boolean, because some generators turn enum values into strings.
        if (jsonSchema.type === 'boolean') delete jsonSchema.enum;
      }
      if (io === 'output') describeTransformed(zodSchema, jsonSchema, form);
    },
  });
  return described;
}

/**
 * Some generators for OpenAPI 3.0 produce broken code for unions, so one schema replaces the members. In 3.0 a nullable
 * enum must list null, and `nullable` needs a type.
 */
function withoutUnions(described: JsonSchema): void {
  const { anyOf, oneOf } = described;
  const members = anyOf ?? oneOf;
  if (Array.isArray(members)) {
    const others = members.filter((each) => !isNull(each));
    const common = inCommon(others);
    const isNullable = members.some((each) => each.nullable === true);
    delete described.anyOf;
    delete described.oneOf;
    Object.assign(described, { ...common, ...described, ...(isNullable ? { nullable: true } : {}) });
  }
  const { nullable, type, enum: values } = described;
  if (nullable === true && Array.isArray(values) && !values.includes(null)) described.enum = [...values, null];
  if (type === undefined) delete described.nullable;
}

export function removeNullFromSchema({ nullable, anyOf, enum: values, ...rest }: JsonSchema): JsonSchema {
  const members = Array.isArray(anyOf) ? anyOf.filter((each) => each.type !== 'null') : [];
  const [only = {}, ...others] = members;
  const alternatives = others.length > 0 ? { anyOf: members } : only;
  return {
    ...alternatives,
    ...(Array.isArray(values) ? { enum: values.filter((each) => each !== null) } : {}),
    ...rest,
  };
}

/** For OpenAPI 3.0, zod writes null as a string whose enum contains only null. */
function isNull({ enum: values }: JsonSchema): boolean {
  return Array.isArray(values) && values.every((value) => value === null);
}

function inCommon([first = {}, ...others]: JsonSchema[]): JsonSchema {
  return others.reduce<JsonSchema>((common, each) => {
    if (common.type !== each.type) return {};
    if (common.type !== 'object') return { type: common.type };
    const required = listOf(common.required).filter((name) => listOf(each.required).includes(name));
    const properties = { ...(each.properties as JsonSchema), ...(common.properties as JsonSchema) };
    return { type: 'object', properties, ...(required.length > 0 ? { required } : {}) };
  }, first);
}

function listOf(names: unknown): unknown[] {
  return Array.isArray(names) ? names : [];
}

/**
 * Describes the input of a transform, because a schema cannot describe its result. Transforms in responses only turn
 * null and omitted fields into absent ones or defaults.
 */
function describeTransformed(schema: z.core.$ZodType, described: JsonSchema, form: OpenapiDocumentOptions): void {
  if (isTransformed(schema))
    Object.assign(described, { ...toJsonSchema(presentPart(schema.in), 'output', form), ...described });
  if (!(schema instanceof z.ZodObject) || !Array.isArray(described.required)) return;
  const fields: Record<string, z.core.$ZodType> = schema.shape;
  const required = described.required.filter((name: string) => !mayBeAbsent(fields[name]));
  if (required.length > 0) described.required = required;
  else delete described.required;
}

function isTransformed(schema: z.core.$ZodType | undefined): schema is z.ZodPipe<z.ZodType, z.ZodTransform> {
  return schema instanceof z.ZodPipe && schema.out instanceof z.ZodTransform;
}

function mayBeAbsent(field: z.core.$ZodType | undefined): boolean {
  if (!isTransformed(field)) return false;
  const { success, data } = field.safeParse(undefined);
  return success && data === undefined;
}

function presentPart(schema: z.ZodType): z.ZodType {
  const isWrapped = schema instanceof z.ZodOptional || schema instanceof z.ZodNullable;
  return isWrapped ? presentPart(schema.unwrap() as z.ZodType) : schema;
}
