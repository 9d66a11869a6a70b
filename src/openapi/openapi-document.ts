import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { SERVICE } from '../api/routes.ts';
import { HOOKS } from '../hooks/call-flow.ts';
import { errorSchema } from '../http/error-printer.ts';
import type { OperationShape } from '../http/operation.ts';
import { fixtureFolder } from '../package/fixture-folder.ts';
import { VERSION } from '../package/version.ts';
import { sentEvent } from '../webhooks/event-schemas.ts';
import { HEADERS, headersOf } from './answer-headers.ts';
import { type JsonSchema, jsonSchema } from './json-schema.ts';
import { describeOperation, pathTemplate, type RecordedExample } from './openapi-operation.ts';

/** The interface version of the service that is emulated. */
const INTERFACE_VERSION = '1.0.0';

/** The documents of the service and of the control surface, each made when it is first asked for. */
export class EmulatorDocuments {
  #service: JsonSchema | undefined;
  #control: JsonSchema | undefined;

  service(): JsonSchema {
    this.#service ??= describeOperations(SERVICE, {
      title: 'Credit-metered generative media',
      version: INTERFACE_VERSION,
      description: 'Chat, images, video, speech, transcription, music, storage and webhooks.',
      events: describeEvents(),
    });
    return this.#service;
  }

  async control(): Promise<JsonSchema> {
    // It is among the operations that it describes, which a start does not load.
    const { CONTROL } = await import('../control/control-routes.ts');
    this.#control ??= describeOperations([...CONTROL, ...HOOKS], {
      title: 'svc-emulator control surface',
      version: VERSION,
      description: 'Time, failure, money and everything else that only an emulator has.',
    });
    return this.#control;
  }
}

interface DocumentAbout {
  title: string;
  version: string;
  description: string;
  /** What endpoints are sent, by type of event. */
  events?: JsonSchema;
}

/** The OpenAPI 3.1 document of these operations: derived from what routes and validates them, so that it cannot drift. */
function describeOperations(operations: readonly OperationShape[], about: DocumentAbout): JsonSchema {
  const { title, version, description } = about;
  const paths: Record<string, JsonSchema> = {};
  const examples = readExamples();
  for (const shape of operations) {
    const path = pathTemplate(shape.path);
    paths[path] = {
      ...paths[path],
      [shape.method.toLowerCase()]: describeOperation(shape, examples[shape.name]),
    };
  }
  return {
    openapi: '3.1.1',
    info: { title, version, description, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: '/' }],
    paths,
    ...(about.events ? { webhooks: about.events } : {}),
    components: {
      securitySchemes: { key: { type: 'http', scheme: 'bearer' } },
      schemas: { Error: jsonSchema(errorSchema, 'output') },
      headers: HEADERS,
      responses: {
        Error: errorAnswer('An error that says what to do'),
        Unauthorized: errorAnswer('The API key is missing or invalid', ['www-authenticate']),
        InsufficientCredits: errorAnswer('The balance does not cover the price; nothing was started'),
        RateLimited: errorAnswer('Too many requests, or a failure that was asked for', ['retry-after']),
      },
    },
  };
}

function errorAnswer(description: string, headers: readonly string[] = []): JsonSchema {
  return {
    description,
    headers: headersOf(headers),
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
  };
}

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
    tags: ['events'],
    summary: `Sent once when ${type} happens; answer within 10 seconds.`,
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
