import { expect, it } from 'vitest';
import { world } from '../../support/world.ts';
import { PositiveRequests, type Words } from './positive-requests.ts';

const emulator = await world();
await emulator.call('POST', '/_emulator/inbox/plain', {});
const requests = new PositiveRequests(emulator);

const PICTURE =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** What a schema cannot say of an operation, and the values that it means; undefined leaves a field out. */
const WORDS: Record<string, { why: string; fields: Words }> = {
  createChatCompletion: {
    why: 'only turns of a user have parts, and messaging answers are short',
    fields: { messages: [{ role: 'user', content: 'Is anybody there?' }], max_tokens: 160 },
  },
  createVideo: {
    why: 'a clip has a duration or seconds in the range of its engine; pictures and elements exist',
    fields: {
      ...{ duration: undefined, seconds: 5, elements: [] },
      ...{ reference: PICTURE, references: [PICTURE], end_reference: PICTURE, resolution: undefined },
    },
  },
  createSong: { why: 'one of prompt, style and lyrics is there', fields: { prompt: 'a waltz' } },
};

const DOCUMENT = '/openapi.json';
const PATIENCE = 240_000;

it(
  'accepts up to three requests of every operation that the document of the service suggests',
  async () => {
    const refused: string[] = [];
    for (const operation of await requests.operations(DOCUMENT)) {
      refused.push(...(await requests.refused(operation, WORDS[operation.operationId]?.fields)));
    }
    expect(refused).toEqual([]);
  },
  PATIENCE,
);
