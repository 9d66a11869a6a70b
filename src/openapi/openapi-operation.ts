import type { OperationShape } from '../http/operation.ts';
import { headersOf, headersOfAnswer } from './answer-headers.ts';
import { type JsonSchema, jsonSchema } from './json-schema.ts';

/** The other name of a parameter, where the document is for generators of code. */
export const ALIAS = 'x-alias';
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
export function describeOperation(shape: OperationShape, example?: RecordedExample): JsonSchema {
  const security = shape.access === 'public' || shape.access === 'local' ? [] : [{ key: [] }];
  return {
    operationId: shape.name,
    tags: [tagOf(shape.path)],
    summary: shape.summary,
    security,
    parameters: [...pathParameters(shape.path), ...queryParameters(shape)],
    ...requestBody(shape, example),
    // A fault rule may answer anything with any status from 400 on.
    responses: {
      ...answers(shape, example?.answers),
      ...(shape.path.startsWith('/v1/') ? SERVICE_ERRORS : {}),
      '4XX': ERROR,
      '5XX': ERROR,
    },
  };
}

/** What it is about: `audio` of /v1/audio/speech, `clock` of /_emulator/clock; of single operations, `documents`. */
function tagOf(path: string): string {
  const [root = '', subject] = path.split('/').filter(Boolean);
  return subject ?? (root.includes('.') ? 'documents' : root);
}

/** `/v1/storage/objects/:id` is `/v1/storage/objects/{id}`. */
export function pathTemplate(path: string): string {
  return path.replaceAll(/:(\w+)/g, '{$1}');
}

function pathParameters(path: string): JsonSchema[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
}

function queryParameters({ query, alias }: OperationShape): JsonSchema[] {
  if (!query) return [];
  const { properties = {}, required = [] } = jsonSchema(query, 'input') as ObjectSchema;
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    ...(description ? { description } : {}),
    ...(alias?.field === name ? { [ALIAS]: alias.name } : {}),
    schema,
  }));
}

function requestBody(
  { body, upload, stream }: OperationShape,
  { request, presets }: Partial<RecordedExample> = {},
): { requestBody?: JsonSchema } {
  if (stream) return { requestBody: { required: true, content: binary(stream) } };
  if (!body && !upload) return {};
  const schema = (body ? jsonSchema(body, 'input') : { type: 'object' }) as ObjectSchema;
  const named = presets && Object.entries(presets).map(([name, value]) => [name, { value }]);
  const tried = named ? { examples: Object.fromEntries(named) } : shown(request);
  const content = upload ? form(schema, upload, tried) : { [JSON_TYPE]: { schema, ...tried } };
  return { requestBody: { required: true, content } };
}

interface ObjectSchema extends JsonSchema {
  properties?: Record<string, JsonSchema>;
  required?: string[];
}

function form(schema: ObjectSchema, field: string, tried: object): JsonSchema {
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

function answers(shape: OperationShape, examples: RecordedExample['answers'] = {}): JsonSchema {
  const { status = 200, answer, accepted, streamed } = shape;
  const headers = headersOf(headersOfAnswer(shape));
  const later = accepted && {
    202: { ...response('Accepted', jsonContent(accepted, examples[202])), headers },
  };
  if (typeof answer === 'string') return { [status]: { ...bareAnswer(answer), headers }, ...later };
  const events = streamed && {
    'text/event-stream': {
      schema: {
        type: 'string',
        description: 'The data of each event is one JSON text; that of the last is [DONE].',
        contentSchema: jsonSchema(streamed, 'output'),
      },
    },
  };
  return {
    [status]: { ...response('Success', { ...jsonContent(answer, examples[status]), ...events }), headers },
    ...later,
  };
}

function bareAnswer(answer: string): JsonSchema {
  if (answer === 'nothing') return { description: 'Done' };
  return response('Success', binary(answer));
}

function binary(type: string): JsonSchema {
  return { [type]: { schema: { type: 'string', format: 'binary' } } };
}

function jsonContent(schema: Parameters<typeof jsonSchema>[0], example?: unknown): JsonSchema {
  return { [JSON_TYPE]: { schema: jsonSchema(schema, 'output'), ...shown(example) } };
}

function shown(example: unknown): { example?: unknown } {
  return example === undefined ? {} : { example };
}

function response(description: string, content: JsonSchema): JsonSchema {
  return { description, content };
}
