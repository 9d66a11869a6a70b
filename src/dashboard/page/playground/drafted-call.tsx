import { PageStore } from '../data/browser.ts';
import { BY_HAND, withParams } from '../data/call-api.ts';
import type { SampledCall } from '../data/code-samples.ts';
import type { FieldSpec } from '../pieces/form.tsx';

export type Draft = Record<string, unknown>;

interface FieldSchema {
  type?: string | string[];
  format?: string;
  description?: string;
  enum?: string[];
  anyOf?: FieldSchema[];
  items?: FieldSchema;
  properties?: Record<string, FieldSchema>;
  required?: string[];
  minimum?: number;
  maximum?: number;
  multipleOf?: number;
  maxLength?: number;
}

interface DocumentedOperation {
  operationId: string;
  description: string;
  parameters?: { name: string; in: string; required?: boolean; schema: FieldSchema; description?: string }[];
  requestBody?: { content: Record<string, { schema: FieldSchema; examples?: Record<string, { value: Draft }> }> };
}

export interface ServiceDocument {
  paths: Record<string, Record<string, DocumentedOperation>>;
}

export interface Field extends FieldSpec {
  as: 'text' | 'number' | 'boolean' | 'words' | 'lines' | 'picture' | 'messages' | 'file';
  note: string;
  isRequired: boolean;
}

export interface ServiceCall {
  id: string;
  method: 'GET' | 'POST' | 'DELETE';
  /** As `/v1/storage/objects/{id}`. */
  path: string;
  summary: string;
  /** Of the body. */
  fields: Field[];
  /** Of the path and of the query. */
  params: (Field & { isInPath: boolean })[];
  isUpload: boolean;
  presets: readonly (readonly [string, Draft])[];
}

export function readDocument({ paths }: ServiceDocument): ServiceCall[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => readOperation(path, method, operation)),
  );
}

const FORM = 'multipart/form-data';

function readOperation(
  path: string,
  method: string,
  { operationId, description, parameters = [], requestBody }: DocumentedOperation,
): ServiceCall {
  const content = requestBody?.content ?? {};
  const { schema, examples = {} } = content['application/json'] ?? content[FORM] ?? {};
  return {
    id: operationId,
    method: method.toUpperCase() as ServiceCall['method'],
    path,
    summary: description,
    fields: Object.entries(schema?.properties ?? {}).map(([name, field]) =>
      readField(name, field, schema?.required?.includes(name) ?? false),
    ),
    params: parameters
      .filter((each) => each.in === 'path' || each.in === 'query')
      .map((each) => ({
        ...readField(each.name, { description: each.description ?? '', ...each.schema }, false),
        isRequired: each.required ?? false,
        isInPath: each.in === 'path',
      })),
    isUpload: FORM in content,
    presets: Object.entries(examples).map(([name, { value }]) => [name, withoutFile(value, schema)]),
  };
}

/** The file of a form is chosen, not typed. */
function withoutFile(draft: Draft, schema: FieldSchema | undefined): Draft {
  const isFile = (name: string) => schema?.properties?.[name]?.format === 'binary';
  return Object.fromEntries(Object.entries(draft).filter(([name]) => !isFile(name)));
}

function readField(name: string, schema: FieldSchema, isRequired: boolean): Field {
  const real = withoutNull(schema);
  const bounds = { min: real.minimum ?? Number.NEGATIVE_INFINITY, max: real.maximum };
  const step = real.multipleOf ?? (real.type === 'integer' ? 1 : ('any' as const));
  const note = schema.description ?? '';
  return { name, label: name, note, isRequired, isOptional: true, step, ...bounds, ...inputOf(name, real) };
}

/** A field that may be null: what it is otherwise. */
function withoutNull(schema: FieldSchema): FieldSchema {
  const other = schema.anyOf?.find(({ type }) => type !== 'null');
  if (other) return other;
  const { type } = schema;
  const [first] = Array.isArray(type) ? type.filter((each) => each !== 'null') : [type];
  return first === undefined ? schema : { ...schema, type: first };
}

/** Fields with several lines, and fields that hold a picture: the schema does not distinguish them. */
const LONG = ['prompt', 'input', 'lyrics', 'context', 'negative_prompt', 'style'];
const PICTURES = ['reference', 'end_reference'];

const LEFT_OUT = ['', 'Not set'];
const each = (values: readonly string[]) => values.map((value) => [value]);

function inputOf(
  name: string,
  { type, format, enum: values, items }: FieldSchema,
): Pick<Field, 'type' | 'as'> & Partial<Field> {
  if (format === 'binary') return { type: 'file', as: 'file' };
  if (values) return { type: 'options', as: 'text', options: [LEFT_OUT, ...each(values)] };
  if (type === 'boolean') return { type: 'choices', as: 'boolean', options: [LEFT_OUT, ['true'], ['false']] };
  if (type === 'integer' || type === 'number') return { type: 'number', as: 'number' };
  if (items?.enum) return { type: 'checks', as: 'words', options: each(items.enum) };
  if (items?.type === 'object') return { type: 'long', as: 'messages' };
  if (type === 'array') return { type: 'long', as: 'lines', placeholder: 'One a line' };
  return { type: LONG.includes(name) ? 'long' : 'text', as: PICTURES.includes(name) ? 'picture' : 'text' };
}

export interface DraftedCall extends SampledCall {
  operation: string;
  body: Record<string, unknown>;
  file: File | undefined;
}

export function draftedCall({ id, method, path, fields, params, isUpload }: ServiceCall, draft: Draft): DraftedCall {
  const asked = params.filter(({ name, isInPath }) => !isInPath && saysSomething(draft[name]));
  const filled = path.replaceAll(/\{(\w+)\}/g, (hole, name) =>
    saysSomething(draft[name]) ? encodeURIComponent(String(draft[name])) : hole,
  );
  const body = bodyOf(fields, draft);
  const file = draft.file instanceof File ? draft.file : undefined;
  const texts = Object.fromEntries(Object.entries(body).map(([name, value]) => [name, String(value)]));
  return {
    operation: id,
    method,
    body,
    file,
    path: withParams(filled, Object.fromEntries(asked.map(({ name }) => [name, String(draft[name])]))),
    request: fields.length > 0 && !isUpload ? JSON.stringify(body) : null,
    form: isUpload ? { fields: texts, file: file?.name ?? 'voice.mp3' } : undefined,
  };
}

function bodyOf(fields: readonly Field[], draft: Draft): Record<string, unknown> {
  const given = fields.filter(({ name, as }) => as !== 'file' && saysSomething(draft[name]));
  return Object.fromEntries(given.map(({ name }) => [name, draft[name]]));
}

function saysSomething(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return value !== undefined && value !== null && value !== '';
}

export function missingIn({ fields, params }: ServiceCall, draft: Draft): string | undefined {
  const missing = [...params, ...fields].find(({ name, isRequired }) => isRequired && !saysSomething(draft[name]));
  return missing && `${missing.name} is missing. It takes: ${missing.note || missing.type}`;
}

/** What is in the form of each operation, as long as the page is open: at first the first of its presets. */
class DraftStore extends PageStore<Record<string, Draft>> {
  of({ id, presets: [first] }: Pick<ServiceCall, 'id' | 'presets'>): Draft {
    return this.value[id] ?? first?.[1] ?? {};
  }

  put(operation: string, draft: Draft): void {
    this.set({ ...this.value, [operation]: draft });
  }
}

export const draftStore = new DraftStore({});

export function requestOf({ method, request, form, file }: DraftedCall, key: string): RequestInit {
  const byHand = { ...BY_HAND, authorization: `Bearer ${key}` };
  if (form) {
    const sent = new FormData();
    if (file) sent.set('file', file);
    for (const [name, value] of Object.entries(form.fields)) sent.set(name, value);
    return { method, headers: byHand, body: sent };
  }
  if (request === null) return { method, headers: byHand };
  return { method, headers: { ...byHand, 'content-type': 'application/json' }, body: request };
}
