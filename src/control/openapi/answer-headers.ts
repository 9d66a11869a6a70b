import type { OperationShape } from '../../service/http/operation.ts';
import type { JsonSchema } from './json-schema.ts';

const TEXT = { type: 'string' };
const NUMBER = { type: 'integer' };

/** Every header that an answer may carry beside those of its content. */
export const HEADERS: Record<string, JsonSchema> = {
  'x-request-id': { description: 'The id of this request: req_…', schema: TEXT, required: true },
  'svc-emulator-warnings': {
    description:
      'Fields that were ignored, separated by commas, each with a reason after a semicolon where there is one.',
    schema: { ...TEXT, maxLength: 4096 },
  },
  'svc-emulator-dropped': {
    description: 'Fields that the engine does not support and that were left out.',
    schema: TEXT,
  },
  'svc-emulator-credits-spent': { description: 'Credits that this call cost.', schema: NUMBER },
  'svc-emulator-credits-remaining': { description: 'The balance after it.', schema: NUMBER },
  'svc-emulator-prompt-tokens': { description: "By the emulator's own tokenizer.", schema: NUMBER },
  'svc-emulator-completion-tokens': { description: "By the emulator's own tokenizer.", schema: NUMBER },
  'www-authenticate': { description: 'Bearer', schema: TEXT },
  'retry-after': { description: 'Seconds until another request is worth while.', schema: NUMBER },
  'ratelimit-limit': { description: 'With --rate-limit: requests per key and minute.', schema: NUMBER },
  'ratelimit-remaining': { description: 'With --rate-limit: how many are left of them.', schema: NUMBER },
  'ratelimit-reset': { description: 'With --rate-limit: seconds until the minute is over.', schema: NUMBER },
};

const ALWAYS = ['x-request-id', 'ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'];

/** Those that any answer may have: by name, so that the words are in the document once. */
export function headersOf(names: readonly string[] = []): JsonSchema {
  return Object.fromEntries([...ALWAYS, ...names].map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** What an operation's own answer carries beside that. */
export function headersOfAnswer({ paid, answer, accepted, streamed, body, query }: OperationShape): string[] {
  return [
    ...(body || query ? ['svc-emulator-warnings'] : []),
    ...(accepted ? ['svc-emulator-dropped'] : []),
    ...(paid && typeof answer === 'string' ? ['svc-emulator-credits-spent', 'svc-emulator-credits-remaining'] : []),
    ...(streamed ? ['svc-emulator-prompt-tokens', 'svc-emulator-completion-tokens'] : []),
  ];
}
