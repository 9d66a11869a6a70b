import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { z } from 'zod';
import { DEFAULT_URL } from '../../base/config/config-options.ts';
import { packageDataFolder, VERSION } from '../../base/package/package-folder.ts';
import { capitalized } from '../../base/text.ts';
import type { Catalogue } from '../../engine/catalogue/catalogue.ts';
import { sentEventSchema } from '../../engine/webhooks/event-schemas.ts';
import { FLOW_HOOK_OPERATIONS, SERVICE_OPERATIONS } from '../../service/api/routes.ts';
import { errorResponseSchema } from '../../service/http/error-response.ts';
import type { OperationShape } from '../../service/http/operation.ts';
import { formatPathTemplate } from '../../service/unknown-path.ts';
import { subjectOfPath } from '../control-operation.ts';
import {
  type JsonSchema,
  type OpenapiDocumentOptions,
  type OpenapiVersion,
  removeNullFromSchema,
  toJsonSchema,
} from './json-schema.ts';

const WORDS: {
  paths: Record<string, { about?: string; id?: string; prefix?: string }>;
  headers: Record<string, JsonSchema>;
} = readFixture('openapi-words.json');

const ALWAYS = ['x-request-id', 'ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'];

function headersOf(names: readonly string[] = []): JsonSchema {
  return Object.fromEntries([...ALWAYS, ...names].map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function headersOfAnswer({ paid, answer, accepted, streamed, body, query }: OperationShape): string[] {
  return [
    ...(body || query ? ['svc-emulator-warnings'] : []),
    ...(accepted ? ['svc-emulator-dropped'] : []),
    ...(paid && typeof answer === 'string' ? ['svc-emulator-credits-spent', 'svc-emulator-credits-remaining'] : []),
    ...(streamed ? ['svc-emulator-prompt-tokens', 'svc-emulator-completion-tokens'] : []),
  ];
}

const JSON_TYPE = 'application/json';
const ERROR = { $ref: '#/components/responses/Error' };
const SERVICE_ERRORS = {
  401: { $ref: '#/components/responses/Unauthorized' },
  402: { $ref: '#/components/responses/InsufficientCredits' },
  429: { $ref: '#/components/responses/RateLimited' },
};

export interface RecordedExample {
  request?: unknown;
  presets?: Record<string, unknown>;
  answers: Record<string, unknown>;
}

function describeOperation(shape: OperationShape, form: OpenapiDocumentOptions, example?: RecordedExample): JsonSchema {
  return {
    operationId: shape.name,
    tags: [subjectOfPath(shape.path)],
    summary: capitalized(shape.name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)),
    description: shape.summary,
    security: needsKey(shape) ? [{ key: [] }] : [],
    parameters: [...pathParameters(shape.path), ...queryParameters(shape, form)],
    ...requestBody(shape, form, example),
    // Other errors are described as ranges, because a fault rule may return any status from 400 on.
    responses: {
      ...answers(shape, form, example?.answers),
      ...(shape.path.startsWith('/v1/') ? SERVICE_ERRORS : {}),
      // Some generators for OpenAPI 3.0 do not support ranges.
      ...(form.version === '3.0' ? { 400: ERROR, default: ERROR } : { '4XX': ERROR, '5XX': ERROR }),
    },
  };
}

function needsKey({ access }: OperationShape): boolean {
  return access !== 'public' && access !== 'local';
}

function pathParameters(path: string): JsonSchema[] {
  return [...path.matchAll(/\/([\w-]+)\/:(\w+)/g)].map(([, resource = '', name = '']) => {
    const { id: what = `an entry of ${resource}`, prefix = resource } = WORDS.paths[resource] ?? {};
    const digits = prefix === 'req' ? REQUEST_DIGITS : ID_DIGITS;
    const words =
      name === 'id'
        ? { description: `The id of ${what}.`, example: `${prefix}_${digits}` }
        : { description: `The ${name}, as in ${resource}.`, example: `my-${name}` };
    return { name, in: 'path', required: true, schema: { type: 'string' }, ...words };
  });
}

const ID_DIGITS = '895d01a4b5fb06c2000001b1';
const REQUEST_DIGITS = '895d01a4b5fb000000f';

function queryParameters({ query, alias }: OperationShape, form: OpenapiDocumentOptions): JsonSchema[] {
  if (!query) return [];
  const { properties = {}, required = [] } = toJsonSchema(query, 'input', form) as ObjectSchema;
  return Object.entries(textFields(properties)).map(([name, { description, ...schema }]) => ({
    // OpenAPI 3.0 gets the alias, because the name of the field is a keyword in many languages.
    name: form.version === '3.0' && alias?.field === name ? alias.name : name,
    in: 'query',
    required: required.includes(name),
    description,
    schema,
  }));
}

function requestBody(
  { body, upload }: OperationShape,
  form: OpenapiDocumentOptions,
  { request, presets }: Partial<RecordedExample> = {},
): { requestBody?: JsonSchema } {
  if (!body && !upload) return {};
  const schema = (body ? toJsonSchema(body, 'input', form) : { type: 'object' }) as ObjectSchema;
  const part = upload ? { [upload]: 'the bytes of the file' } : {};
  const named =
    presets && Object.entries(presets).map(([name, value]) => [name, { value: { ...part, ...(value as object) } }]);
  const tried = named ? { examples: Object.fromEntries(named) } : { example: request };
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
        properties: { [field]: file, ...textFields(schema.properties) },
        required: [field, ...(schema.required ?? [])],
      },
      ...tried,
    },
  };
}

/** Removes null from the schemas, because query parameters and form fields may be omitted, but cannot be null. */
function textFields(fields: Record<string, JsonSchema> = {}): Record<string, JsonSchema> {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, removeNullFromSchema(field)]));
}

function answers(
  shape: OperationShape,
  form: OpenapiDocumentOptions,
  examples: RecordedExample['answers'] = {},
): JsonSchema {
  const { status = 200, answer, accepted, streamed } = shape;
  const headers = headersOf(headersOfAnswer(shape));
  const json = (schema: z.ZodType, example: unknown) => ({
    [JSON_TYPE]: { schema: toJsonSchema(schema, 'output', form), example },
  });
  const later = accepted && {
    202: { description: 'Accepted', content: json(accepted, examples[202]), headers },
  };
  const content =
    typeof answer === 'string'
      ? { [answer]: { schema: { type: 'string', format: 'binary' } } }
      : { ...json(answer, examples[status]), ...events(streamed, form) };
  const described = answer === 'nothing' ? { description: 'Done' } : { description: 'Success', content };
  return { [status]: { ...described, headers }, ...later };
}

/** Empty for OpenAPI 3.0, because some of its generators read only one media type of a response. */
function events(streamed: OperationShape['streamed'], form: OpenapiDocumentOptions): JsonSchema {
  if (!streamed || form.version === '3.0') return {};
  return {
    'text/event-stream': {
      schema: {
        type: 'string',
        description: 'The data of each event is one JSON text. The data of the last event is [DONE].',
        contentSchema: toJsonSchema(streamed, 'output', form),
      },
    },
  };
}

export class OpenapiDocuments {
  readonly #made = new Map<string, JsonSchema>();
  readonly #modelIds: NonNullable<OpenapiDocumentOptions['modelIds']>;

  constructor(catalogue: Pick<Catalogue, 'list'>) {
    this.#modelIds = (kind) =>
      catalogue
        .list()
        .filter((model) => model.kind === kind)
        .map(({ id }) => id);
  }

  service(version: OpenapiVersion = '3.1'): JsonSchema {
    const form = { version, modelIds: this.#modelIds };
    return this.#once(`service ${version}`, () =>
      describeOperations(SERVICE_OPERATIONS, form, {
        title: 'Credit-metered generative media',
        version: '1.0.0',
        description: 'Chat, images, video, speech, transcription, music, storage and webhooks.',
        events: version === '3.0' ? undefined : describeEvents(),
      }),
    );
  }

  async control(version: OpenapiVersion = '3.1'): Promise<JsonSchema> {
    // The control operations are loaded on demand, because a start does not need them.
    const { CONTROL_OPERATIONS } = await import('../control-routes.ts');
    const form = { version, modelIds: this.#modelIds };
    return this.#once(`control ${version}`, () =>
      describeOperations([...CONTROL_OPERATIONS, ...FLOW_HOOK_OPERATIONS], form, {
        title: 'svc-emulator control operations',
        version: VERSION,
        description: 'Time, failures, money and everything else that only an emulator has.',
      }),
    );
  }

  #once(name: string, make: () => JsonSchema): JsonSchema {
    const made = this.#made.get(name) ?? make();
    this.#made.set(name, made);
    return made;
  }
}

function describeOperations(
  operations: readonly OperationShape[],
  form: OpenapiDocumentOptions,
  { events, ...about }: JsonSchema & { events?: JsonSchema | undefined },
): JsonSchema {
  const paths: Record<string, JsonSchema> = {};
  const examples = readExamples();
  for (const shape of operations) {
    const path = formatPathTemplate(shape.path);
    const described = describeOperation(shape, form, examples[shape.name]);
    paths[path] = { ...paths[path], [shape.method.toLowerCase()]: described };
  }
  const text = JSON.stringify(paths);
  const responses = referred('responses', RESPONSES, text);
  const isOlder = form.version === '3.0';
  const license = isOlder ? { url: 'https://opensource.org/license/mit' } : { identifier: 'MIT' };
  const tags = [...operations.map(({ path }) => subjectOfPath(path)), ...(events ? [EVENTS_TAG] : [])];
  return {
    openapi: isOlder ? '3.0.3' : '3.1.1',
    info: { ...about, contact: { name: 'svc-emulator contributors' }, license: { name: 'MIT', ...license } },
    // Some generators for OpenAPI 3.0 do not accept a relative address.
    servers: [{ url: isOlder ? DEFAULT_URL : '/' }],
    tags: [...new Set(tags)].map((name) => ({ name, description: WORDS.paths[name]?.about })),
    paths,
    webhooks: events,
    components: {
      securitySchemes: operations.some(needsKey) ? { key: { type: 'http', scheme: 'bearer' } } : undefined,
      schemas: { Error: toJsonSchema(errorResponseSchema, 'output', form) },
      headers: referred('headers', WORDS.headers, text + JSON.stringify(responses)),
      responses,
    },
  };
}

const EVENTS_TAG = 'events';

function referred(kind: string, parts: JsonSchema, text: string): JsonSchema {
  return Object.fromEntries(Object.entries(parts).filter(([name]) => text.includes(`"#/components/${kind}/${name}"`)));
}

function errorAnswer(description: string, headers: readonly string[] = []): JsonSchema {
  return {
    description,
    headers: headersOf(headers),
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
  };
}

const RESPONSES = {
  Error: errorAnswer('An error that says what to do'),
  Unauthorized: errorAnswer('The API key is missing or invalid', ['www-authenticate']),
  InsufficientCredits: errorAnswer('The balance does not cover the price; nothing was started'),
  RateLimited: errorAnswer('Too many requests, or a failure that was asked for', ['retry-after']),
};

const EVENT_HEADERS = [
  ['svc-signature', 't=<unix seconds>,v1=<hex>: HMAC-SHA256 with the secret of the endpoint over "<t>.<raw body>".'],
  ['svc-emulator-event', 'The id of the event.'],
  ['svc-emulator-delivery', 'The id of the delivery.'],
] as const;

function describeEvents(): JsonSchema {
  return Object.fromEntries(
    sentEventSchema.unwrap().options.map((schema) => {
      const type = schema.shape.type.value;
      return [type, { post: describeEvent(type, toJsonSchema(schema, 'output')) }];
    }),
  );
}

function describeEvent(type: string, schema: JsonSchema): JsonSchema {
  return {
    operationId: type.replaceAll('.', '_'),
    tags: [EVENTS_TAG],
    summary: type,
    description: `Sent once for each ${type}. Respond within 10 seconds.`,
    security: [],
    parameters: EVENT_HEADERS.map(([name, description]) => ({
      name,
      in: 'header',
      required: true,
      description,
      schema: { type: 'string' },
    })),
    requestBody: { required: true, content: { 'application/json': { schema } } },
    responses: {
      '2XX': { description: 'Accepted.' },
      410: { description: 'The endpoint is removed and receives no more events.' },
      default: { description: 'Not accepted; it is not sent again.' },
    },
  };
}

function readExamples(): Record<string, RecordedExample> {
  const examples = readFixture('openapi-examples.json');
  for (const [name, presets] of Object.entries(readFixture('openapi-presets.json'))) {
    examples[name] = { answers: {}, ...examples[name], presets };
  }
  return examples;
}

function readFixture(name: string) {
  return JSON.parse(readFileSync(path.join(packageDataFolder(), name), 'utf8'));
}
