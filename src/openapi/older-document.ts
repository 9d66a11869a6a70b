import type { JsonSchema } from './json-schema.ts';
import { ALIAS } from './openapi-operation.ts';

/** The versions of OpenAPI that a document is to be had in; the first unless another is asked for. */
export const OPENAPI_VERSIONS = ['3.1', '3.0'] as const;
type OpenapiVersion = (typeof OPENAPI_VERSIONS)[number];

/** A document in the version that was asked for. */
export function inVersion(document: object, version: OpenapiVersion = '3.1'): object {
  return version === '3.1' ? document : olderDocument(document as JsonSchema);
}

/** Words of OpenAPI 3.1 that 3.0 has not, and that types can do without. */
const UNKNOWN_BEFORE = ['propertyNames', 'contentSchema'];
/** Whose values are shown as they are. */
const SHOWN = ['example', 'examples', 'default', 'enum'];

/** Where an emulator listens by default; a relative address some generators take for none. */
const USUAL = 'http://127.0.0.1:4600';

/**
 * An OpenAPI 3.1 document as 3.0, for generators that read nothing newer: without `webhooks`, which came with 3.1, and
 * without unions, of which such generators make no code that compiles: what their members have in common replaces them.
 */
function olderDocument({ openapi, webhooks, info, servers, ...document }: JsonSchema): JsonSchema {
  const { license, ...about } = info as { license: { name: string } };
  return {
    openapi: '3.0.3',
    info: { ...about, license: { name: license.name } },
    servers: [{ url: USUAL }],
    ...olderParts(document),
  };
}

function older(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(older);
  if (typeof part !== 'object' || part === null) return part;
  return olderSchema(olderParts(renamed(part as JsonSchema)));
}

/** What is called by a word that many languages keep for themselves has the name here that they leave free. */
function renamed({ [ALIAS]: name, ...part }: JsonSchema): JsonSchema {
  return name === undefined ? part : { ...part, name };
}

function olderParts(part: JsonSchema): JsonSchema {
  const entries = Object.entries(part).filter(([key]) => !UNKNOWN_BEFORE.includes(key));
  return Object.fromEntries(entries.map(([key, value]) => [key, olderValue(key, value)]));
}

function olderValue(key: string, value: unknown): unknown {
  if (SHOWN.includes(key)) return value;
  if (key === 'content') return older(withoutStream(value as JsonSchema));
  if (key === 'responses') return older(withoutRanges(value as JsonSchema));
  // Names of properties are no words of a schema.
  return key === 'properties' ? olderParts(value as JsonSchema) : older(value);
}

/** Who reads one form of an answer only is to read the JSON. */
function withoutStream({ 'text/event-stream': stream, ...content }: JsonSchema): JsonSchema {
  return Object.keys(content).length === 0 ? { 'text/event-stream': stream } : content;
}

/** `4XX` and `5XX` are the same answer, and to some generators no numbers. */
function withoutRanges({ '4XX': refused, '5XX': failed, ...responses }: JsonSchema): JsonSchema {
  return refused === undefined ? responses : { ...responses, default: refused };
}

function olderSchema({ const: only, exclusiveMinimum, type, anyOf, ...schema }: JsonSchema): JsonSchema {
  const same = {
    ...schema,
    ...(typeof only === 'string' ? { enum: [only] } : {}),
    ...(typeof exclusiveMinimum === 'number' ? { minimum: exclusiveMinimum, exclusiveMinimum: true } : {}),
  };
  const members = Array.isArray(type) ? type.map((each) => ({ type: each })) : anyOf;
  if (!Array.isArray(members)) return type === undefined ? same : { type, ...same };
  // Null is no type there but a word beside it.
  const others = members.filter((each) => each.type !== 'null');
  return { ...inCommon(others), ...same, ...(others.length < members.length ? { nullable: true } : {}) };
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
