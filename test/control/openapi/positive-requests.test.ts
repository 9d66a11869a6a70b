import { expect, it } from 'vitest';
import { world } from '../../support/world.ts';
import { PositiveRequests, type Words } from './positive-requests.ts';

const emulator = await world();
await emulator.call('POST', '/_emulator/inbox/plain', {});
const requests = new PositiveRequests(emulator);

const PICTURE =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const EFFECT = { status: 500 };
const MATCH = { method: 'POST' };
const STEPS = [{ nodeId: 'a', type: 'text', params: { prompt: 'a pier' } }];

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
  setClock: { why: 'time moves forward', fields: { now: '2090-01-01T00:00:00Z', frozen: false } },
  changeAccount: { why: 'a workspace has one owner', fields: { role: 'owner' } },
  waitFor: { why: 'a condition names a kind and a record', fields: { for: 'inbox:plain', genuine: false } },
  priceRequest: { why: 'an operation is one of the service', fields: { operation: 'getAccount' } },
  previewRender: { why: 'a model is one of its kind', fields: { model: undefined } },
  createElement: { why: 'a picture can be read, and a voice heard', fields: { image: PICTURE, voice: undefined } },
  changeElement: { why: 'a picture can be read, and a voice heard', fields: { image: PICTURE, voice: undefined } },
  addEndpoint: { why: 'an endpoint has a url or an inbox', fields: { inbox: 'plain', url: undefined } },
  createFault: { why: 'an effect is one of its kinds, and its match exists', fields: { effect: EFFECT, match: MATCH } },
  createHold: { why: 'what is matched exists', fields: { match: MATCH } },
  releaseHold: {
    why: 'a message waits, and an effect is one of its kinds',
    fields: { message: undefined, effect: EFFECT },
  },
  addFixtures: { why: 'an answer is one of its kinds', fields: { fixtures: [{ answer: { text: 'Ahoy.' } }] } },
  createFlow: { why: 'what a step takes depends on its type', fields: { steps: STEPS } },
  importFlow: { why: 'what a step takes depends on its type', fields: { steps: STEPS } },
  checkFlow: { why: 'what a step takes depends on its type', fields: { steps: STEPS } },
};
const LEFT_OUT: Record<string, string> = {
  streamLive: 'its answer has no end',
  importSnapshot: 'its body is an archive',
};

const DOCUMENTS = ['/openapi.json', '/_emulator/openapi.json'];
const PATIENCE = 240_000;

it.each(DOCUMENTS)(
  'accepts up to three requests of every operation that %s suggests',
  async (path) => {
    const refused: string[] = [];
    for (const operation of await requests.operations(path)) {
      const t0 = Date.now();
      if (operation.operationId in LEFT_OUT) continue;
      refused.push(...(await requests.refused(operation, WORDS[operation.operationId]?.fields)));
      if (Date.now() - t0 > 2500) console.log(operation.operationId, Date.now() - t0);
    }
    expect(refused).toEqual([]);
  },
  PATIENCE,
);

it(
  'needs words beside a schema for no other operation',
  async () => {
    const operations = (await Promise.all(DOCUMENTS.map((path) => requests.operations(path)))).flat();
    const named = operations.filter(({ operationId }) => operationId in WORDS);
    const needed: string[] = [];
    for (const operation of named)
      if ((await requests.refused(operation)).length > 0) needed.push(operation.operationId);
    expect(needed.toSorted()).toEqual(Object.keys(WORDS).toSorted());
  },
  PATIENCE,
);
