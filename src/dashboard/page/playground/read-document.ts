/** What the form needs of a JSON Schema. */
export interface FieldSchema {
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
  summary: string;
  parameters?: {
    name: string;
    in: string;
    required?: boolean;
    schema: FieldSchema;
    description?: string;
  }[];
  requestBody?: { content: Record<string, { schema: FieldSchema }> };
}

/** The OpenAPI document of the service, as far as it is read here. */
export interface ServiceDocument {
  paths: Record<string, Record<string, DocumentedOperation>>;
}

export type FieldKind =
  | 'text'
  | 'long text'
  | 'number'
  | 'truth'
  | 'choice'
  | 'choices'
  | 'texts'
  | 'picture'
  | 'messages'
  | 'file';

export interface Field {
  name: string;
  kind: FieldKind;
  note: string;
  isRequired: boolean;
  options: string[];
  min: number | undefined;
  max: number | undefined;
  step: number | undefined;
}

/** One operation as the form shows it. */
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
}

/** Every operation, in the order of the document. */
export function readDocument({ paths }: ServiceDocument): ServiceCall[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => readOperation(path, method, operation)),
  );
}

const FORM = 'multipart/form-data';

function readOperation(
  path: string,
  method: string,
  { operationId, summary, parameters = [], requestBody }: DocumentedOperation,
): ServiceCall {
  const content = requestBody?.content ?? {};
  const schema = (content['application/json'] ?? content[FORM])?.schema;
  return {
    id: operationId,
    method: method.toUpperCase() as ServiceCall['method'],
    ...{ path, summary },
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
  };
}

function readField(name: string, schema: FieldSchema, isRequired: boolean): Field {
  const real = withoutNull(schema);
  return {
    ...{ name, isRequired, kind: kindOf(name, real) },
    note: schema.description ?? '',
    options: real.enum ?? real.items?.enum ?? [],
    ...{ min: real.minimum, max: real.maximum },
    step: real.multipleOf ?? (real.type === 'integer' ? 1 : undefined),
  };
}

/** A field that may be null: what it is otherwise. */
function withoutNull(schema: FieldSchema): FieldSchema {
  const other = schema.anyOf?.find(({ type }) => type !== 'null');
  if (other) return other;
  const { type } = schema;
  const [first] = Array.isArray(type) ? type.filter((each) => each !== 'null') : [type];
  return first === undefined ? schema : { ...schema, type: first };
}

/** Texts for which one line is too little, and fields that hold a picture: the schema does not tell them from others. */
const LONG = ['prompt', 'input', 'lyrics', 'context', 'negative_prompt', 'style'];
const PICTURES = ['reference', 'end_reference'];

function kindOf(name: string, { type, format, enum: options, items }: FieldSchema): FieldKind {
  if (format === 'binary') return 'file';
  if (options) return 'choice';
  if (type === 'boolean') return 'truth';
  if (type === 'integer' || type === 'number') return 'number';
  if (type === 'array') return items?.type === 'object' ? 'messages' : items?.enum ? 'choices' : 'texts';
  if (PICTURES.includes(name)) return 'picture';
  return LONG.includes(name) ? 'long text' : 'text';
}
