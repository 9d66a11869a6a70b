import { sentEvent } from '../webhooks/event-schemas.ts';
import { type JsonSchema, jsonSchema } from './json-schema.ts';

const HEADERS = [
  ['svc-signature', 't=<unix seconds>,v1=<hex>: HMAC-SHA256 with the secret of the endpoint over "<t>.<raw body>".'],
  ['svc-emulator-event', 'The id of the event.'],
  ['svc-emulator-delivery', 'The id of this delivery of it.'],
] as const;

/** What an endpoint is sent, by type of event: the `webhooks` of an OpenAPI 3.1 document. */
export function describeEvents(): JsonSchema {
  return Object.fromEntries(
    sentEvent.options.map((schema) => {
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
    parameters: HEADERS.map(([name, description]) => ({
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
