import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fixtureFolder } from '../../base/package/fixture-folder.ts';
import { VERSION } from '../../base/package/version.ts';
import type { Catalogue } from '../../engine/catalogue/catalogue.ts';
import { sentEvent } from '../../engine/webhooks/event-schemas.ts';
import { SERVICE } from '../../service/api/routes.ts';
import { HOOKS } from '../../service/call-flow.ts';
import { errorSchema } from '../../service/http/error-printer.ts';
import type { OperationShape } from '../../service/http/operation.ts';
import { HEADERS, headersOf } from './answer-headers.ts';
import { type DocumentForm, type JsonSchema, jsonSchema, type OpenapiVersion } from './json-schema.ts';
import { describeOperation, needsKey, pathTemplate, type RecordedExample } from './openapi-operation.ts';
import { describeTags, tagOf } from './path-words.ts';

/** The interface version of the service that is emulated. */
const INTERFACE_VERSION = '1.0.0';

/** Where an emulator listens by default; some generators that read OpenAPI 3.0 do not take a relative address. */
const USUAL_ADDRESS = 'http://127.0.0.1:4600';

/** The documents of the service and of the control surface, each made when it is first asked for. */
export class EmulatorDocuments {
  readonly #made = new Map<string, JsonSchema>();
  readonly #modelIds: NonNullable<DocumentForm['modelIds']>;

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
      describeOperations(SERVICE, form, {
        title: 'Credit-metered generative media',
        version: INTERFACE_VERSION,
        description: 'Chat, images, video, speech, transcription, music, storage and webhooks.',
        // OpenAPI 3.0 has no webhooks.
        ...(version === '3.0' ? {} : { events: describeEvents() }),
      }),
    );
  }

  async control(version: OpenapiVersion = '3.1'): Promise<JsonSchema> {
    // It is among the operations that it describes, which a start does not load.
    const { CONTROL } = await import('../control-routes.ts');
    const form = { version, modelIds: this.#modelIds };
    return this.#once(`control ${version}`, () =>
      describeOperations([...CONTROL, ...HOOKS], form, {
        title: 'svc-emulator control surface',
        version: VERSION,
        description: 'Time, failure, money and everything else that only an emulator has.',
      }),
    );
  }

  #once(name: string, make: () => JsonSchema): JsonSchema {
    const made = this.#made.get(name) ?? make();
    this.#made.set(name, made);
    return made;
  }
}

interface DocumentAbout {
  title: string;
  version: string;
  description: string;
  /** What endpoints are sent, by type of event. */
  events?: JsonSchema;
}

/** The OpenAPI document of these operations: derived from what routes and validates them, so that it cannot drift. */
function describeOperations(
  operations: readonly OperationShape[],
  form: DocumentForm,
  { events, ...about }: DocumentAbout,
): JsonSchema {
  const paths: Record<string, JsonSchema> = {};
  const examples = readExamples();
  for (const shape of operations) {
    const path = pathTemplate(shape.path);
    const described = describeOperation(shape, form, examples[shape.name]);
    paths[path] = { ...paths[path], [shape.method.toLowerCase()]: described };
  }
  const isOlder = form.version === '3.0';
  const license = isOlder ? { url: 'https://opensource.org/license/mit' } : { identifier: 'MIT' };
  const tags = [...operations.map(({ path }) => tagOf(path)), ...(events ? [EVENTS_TAG] : [])];
  return {
    openapi: isOlder ? '3.0.3' : '3.1.1',
    info: { ...about, contact: { name: 'svc-emulator contributors' }, license: { name: 'MIT', ...license } },
    servers: [{ url: isOlder ? USUAL_ADDRESS : '/' }],
    tags: describeTags(tags),
    paths,
    ...(events ? { webhooks: events } : {}),
    components: {
      ...(operations.some(needsKey) ? { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } } : {}),
      schemas: { Error: jsonSchema(errorSchema, 'output', form) },
      ...answersOf(JSON.stringify(paths)),
    },
  };
}

const EVENTS_TAG = 'events';

/** The shared answers and headers that the paths of a document refer to. */
function answersOf(paths: string): JsonSchema {
  const responses = referred('responses', RESPONSES, paths);
  return { headers: referred('headers', HEADERS, paths + JSON.stringify(responses)), responses };
}

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
  ['svc-emulator-delivery', 'The id of this delivery of it.'],
] as const;

/** What an endpoint is sent, by type of event: the `webhooks` of an OpenAPI 3.1 document. */
function describeEvents(): JsonSchema {
  return Object.fromEntries(
    sentEvent.unwrap().options.map((schema) => {
      const type = schema.shape.type.value;
      return [type, { post: describeEvent(type, jsonSchema(schema, 'output')) }];
    }),
  );
}

function describeEvent(type: string, schema: JsonSchema): JsonSchema {
  return {
    operationId: type.replaceAll('.', '_'),
    tags: [EVENTS_TAG],
    summary: type,
    description: `Sent once when ${type} happens; answer within 10 seconds.`,
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
      '2XX': { description: 'Taken.' },
      410: { description: 'The endpoint is deleted: no event reaches it again.' },
      default: { description: 'Not taken; it is not sent again by itself.' },
    },
  };
}

/** Real requests and answers by operation: a test records them anew and compares. */
function readExamples(): Record<string, RecordedExample> {
  const examples = readFixture('openapi-examples.json');
  for (const [name, presets] of Object.entries(readFixture('openapi-presets.json'))) {
    examples[name] = { answers: {}, ...examples[name], presets };
  }
  return examples;
}

function readFixture(name: string) {
  const file = path.join(fixtureFolder(), name);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
}
