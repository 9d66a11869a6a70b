import type { OperationShape } from '../../service/http/operation.ts';
import { headersOf, headersOfAnswer } from './answer-headers.ts';
import { type DocumentForm, type JsonSchema, jsonSchema } from './json-schema.ts';
import { pathParameter, tagOf } from './path-words.ts';

const JSON_TYPE = 'application/json';
const ERROR = { $ref: '#/components/responses/Error' };
/** What the interface says of every operation of the service. */
const SERVICE_ERRORS = {
  401: { $ref: '#/components/responses/Unauthorized' },
  402: { $ref: '#/components/responses/InsufficientCredits' },
  429: { $ref: '#/components/responses/RateLimited' },
};

/** What was once sent to an operation, and what it answered with which status. */
export interface RecordedExample {
  request?: unknown;
  /** Requests worth a try, each by its name: they replace the one that was sent. */
  presets?: Record<string, unknown>;
  answers: Record<string, unknown>;
}

/** One operation as OpenAPI describes it. */
export function describeOperation(shape: OperationShape, form: DocumentForm, example?: RecordedExample): JsonSchema {
  return {
    operationId: shape.name,
    tags: [tagOf(shape.path)],
    summary: summaryOf(shape.name),
    description: shape.summary,
    security: needsKey(shape) ? [{ key: [] }] : [],
    parameters: [...pathParameters(shape.path), ...queryParameters(shape, form)],
    ...requestBody(shape, form, example),
    // A fault rule may answer anything with any status from 400 on.
    responses: {
      ...answers(shape, form, example?.answers),
      ...(shape.path.startsWith('/v1/') ? SERVICE_ERRORS : {}),
      // Ranges are no numbers to some generators that read OpenAPI 3.0.
      ...(form.version === '3.0' ? { 400: ERROR, default: ERROR } : { '4XX': ERROR, '5XX': ERROR }),
    },
  };
}

export function needsKey({ access }: OperationShape): boolean {
  return access !== 'public' && access !== 'local';
}

/** `createChatCompletion` is "Create chat completion". */
function summaryOf(name: string): string {
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** `/v1/storage/objects/:id` is `/v1/storage/objects/{id}`. */
export function pathTemplate(path: string): string {
  return path.replaceAll(/:(\w+)/g, '{$1}');
}

function pathParameters(path: string): JsonSchema[] {
  const parts = path.split('/');
  return parts.flatMap((part, at) => (part.startsWith(':') ? [pathParameter(parts[at - 1] ?? '', part.slice(1))] : []));
}

function queryParameters({ query, alias }: OperationShape, form: DocumentForm): JsonSchema[] {
  if (!query) return [];
  const { properties = {}, required = [] } = jsonSchema(query, 'input', form) as ObjectSchema;
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    // The second name is one that many languages do not keep for themselves.
    name: form.version === '3.0' && alias?.field === name ? alias.name : name,
    in: 'query',
    required: required.includes(name),
    ...(description ? { description } : {}),
    schema,
  }));
}

function requestBody(
  { body, upload, stream }: OperationShape,
  form: DocumentForm,
  { request, presets }: Partial<RecordedExample> = {},
): { requestBody?: JsonSchema } {
  if (stream) return { requestBody: { required: true, content: binary(stream) } };
  if (!body && !upload) return {};
  const schema = (body ? jsonSchema(body, 'input', form) : { type: 'object' }) as ObjectSchema;
  const part = upload ? { [upload]: 'the bytes of the file' } : {};
  const named =
    presets && Object.entries(presets).map(([name, value]) => [name, { value: { ...part, ...(value as object) } }]);
  const tried = named ? { examples: Object.fromEntries(named) } : shown(request);
  const content = upload ? multipart(schema, upload, tried) : { [JSON_TYPE]: { schema, ...tried } };
  return { requestBody: { required: true, content } };
}

interface ObjectSchema extends JsonSchema {
  properties?: Record<string, JsonSchema>;
  required?: string[];
}

function multipart(schema: ObjectSchema, field: string, tried: object): JsonSchema {
  const file = { type: 'string', format: 'binary' };
  return {
    'multipart/form-data': {
      schema: {
        ...schema,
        properties: { [field]: file, ...schema.properties },
        required: [field, ...(schema.required ?? [])],
      },
      ...tried,
    },
  };
}

function answers(shape: OperationShape, form: DocumentForm, examples: RecordedExample['answers'] = {}): JsonSchema {
  const { status = 200, answer, accepted, streamed } = shape;
  const headers = headersOf(headersOfAnswer(shape));
  const later = accepted && {
    202: { ...response('Accepted', jsonContent(jsonSchema(accepted, 'output', form), examples[202])), headers },
  };
  if (typeof answer === 'string') return { [status]: { ...bareAnswer(answer), headers }, ...later };
  const content = jsonContent(jsonSchema(answer, 'output', form), examples[status]);
  return {
    [status]: { ...response('Success', { ...content, ...events(streamed, form) }), headers },
    ...later,
  };
}

/** Generators that read OpenAPI 3.0 read one form of an answer only: the JSON. */
function events(streamed: OperationShape['streamed'], form: DocumentForm): JsonSchema {
  if (!streamed || form.version === '3.0') return {};
  return {
    'text/event-stream': {
      schema: {
        type: 'string',
        description: 'The data of each event is one JSON text; that of the last is [DONE].',
        contentSchema: jsonSchema(streamed, 'output', form),
      },
    },
  };
}

function bareAnswer(answer: string): JsonSchema {
  if (answer === 'nothing') return { description: 'Done' };
  return response('Success', binary(answer));
}

function binary(type: string): JsonSchema {
  return { [type]: { schema: { type: 'string', format: 'binary' } } };
}

function jsonContent(schema: JsonSchema, example?: unknown): JsonSchema {
  return { [JSON_TYPE]: { schema, ...shown(example) } };
}

function shown(example: unknown): { example?: unknown } {
  return example === undefined ? {} : { example };
}

function response(description: string, content: JsonSchema): JsonSchema {
  return { description, content };
}
