import { errorSchema } from '../http/error-schema.ts';
import type { OperationShape } from '../http/operation.ts';
import { type JsonSchema, jsonSchema } from './json-schema.ts';
import { describeOperation, pathTemplate } from './openapi-operation.ts';
import { readExamples } from './recorded-examples.ts';

export interface DocumentAbout {
  title: string;
  version: string;
  description: string;
}

/** The OpenAPI 3.1 document of these operations: derived from what routes and validates them, so that it cannot drift. */
export function describeOperations(operations: readonly OperationShape[], about: DocumentAbout): JsonSchema {
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
    info: { ...about, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: '/' }],
    paths,
    components: {
      securitySchemes: { key: { type: 'http', scheme: 'bearer' } },
      schemas: { Error: jsonSchema(errorSchema, 'output') },
      responses: {
        Error: {
          description: 'An error that says what to do',
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
        },
      },
    },
  };
}
