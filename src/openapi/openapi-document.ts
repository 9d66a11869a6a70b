import { errorSchema } from '../http/error-printer.ts';
import type { OperationShape } from '../http/operation.ts';
import { HEADERS, headersOf } from './answer-headers.ts';
import { type JsonSchema, jsonSchema } from './json-schema.ts';
import { describeOperation, pathTemplate } from './openapi-operation.ts';
import { readExamples } from './recorded-examples.ts';

export interface DocumentAbout {
  title: string;
  version: string;
  description: string;
  /** What endpoints are sent, by type of event. */
  events?: JsonSchema;
}

/** The OpenAPI 3.1 document of these operations: derived from what routes and validates them, so that it cannot drift. */
export function describeOperations(operations: readonly OperationShape[], about: DocumentAbout): JsonSchema {
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
