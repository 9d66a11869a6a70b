import { type JsonSchema, jsonSchema } from '../../control/openapi/json-schema.ts';
import { SERVICE } from '../../service/api/routes.ts';
import { errorSchema } from '../../service/http/error-printer.ts';

/** A field as the OpenAPI document has it. */
export interface DocumentedField {
  types: string[];
  optional: boolean;
  words: string[];
}

/** The fields of an operation's answer by their paths; of an error those of every error. */
export function documentedFields(
  operation: string,
  status: number,
  media: string,
): ReadonlyMap<string, DocumentedField> {
  const fields = new Map<string, DocumentedField>();
  const shape = SERVICE.find(({ name }) => name === operation);
  const isStream = media === 'text/event-stream';
  const accepted = status === 202 ? shape?.accepted : undefined;
  const answer = status >= 400 ? errorSchema : isStream ? shape?.streamed : (accepted ?? shape?.answer);
  if (answer === undefined || typeof answer === 'string') return fields;
  collect(fields, jsonSchema(answer, 'output'), { path: isStream ? 'chunks.*' : '', optional: false });
  return fields;
}

interface Position {
  path: string;
  optional: boolean;
}

function collect(fields: Map<string, DocumentedField>, schema: JsonSchema, { path, optional }: Position): void {
  const members = membersOf(schema);
  const { types = [], words = [], optional: before = false } = fields.get(path) ?? {};
  fields.set(path, {
    types: [...new Set([...types, ...members.flatMap(typesOf)])],
    optional: optional || before,
    words: [...new Set([...words, ...members.flatMap(wordsOf)])],
  });
  const isAlone = members.filter(({ properties }) => properties).length === 1;
  for (const member of members) collectInside(fields, member, { path, optional: optional || !isAlone });
}

function collectInside(fields: Map<string, DocumentedField>, member: Inside, { path, optional }: Position): void {
  const { properties = {}, required = [], items } = member;
  const below = (name: string) => (path === '' ? name : `${path}.${name}`);
  for (const [name, each] of Object.entries(properties)) {
    collect(fields, each, { path: below(name), optional: optional || !required.includes(name) });
  }
  if (items) collect(fields, items, { path: below('*'), optional });
}

interface Inside {
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
}

function membersOf(schema: JsonSchema): JsonSchema[] {
  const union = schema.anyOf ?? schema.oneOf;
  return Array.isArray(union) ? union.flatMap(membersOf) : [schema];
}

function typesOf({ type }: JsonSchema): string[] {
  return Array.isArray(type) ? type.map(String) : type === undefined ? [] : [String(type)];
}

function wordsOf({ enum: words, const: only }: JsonSchema): string[] {
  return [...(Array.isArray(words) ? words : []), ...(only === undefined ? [] : [only])].map(String);
}
