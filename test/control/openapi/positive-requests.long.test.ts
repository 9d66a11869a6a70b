import { expect, it } from 'vitest';
import { world } from '../../support/world.ts';
import { PositiveRequests, type Words } from './positive-requests.ts';

const emulator = await world();
await emulator.call('POST', '/_emulator/inbox/plain', {});
const requests = new PositiveRequests(emulator);

const PICTURE =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** Pictures that are on no other computer. */
const NEAR = { reference: PICTURE, references: [PICTURE], end_reference: PICTURE };

/** Its only step has what it needs. */
const STEPS = { steps: [{ nodeId: 'a', type: 'text', params: { prompt: 'a pier' } }] };
/** No other operation has a request of this path. */
const match = { path: '/v1/models' };

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
      ...NEAR,
      resolution: undefined,
    },
  },
  createSong: { why: 'one of prompt, style and lyrics is there', fields: { prompt: 'a waltz' } },
  setClock: { why: 'time goes on from where the state was made', fields: { now: '2999-01-01T00:00:00Z' } },
  changeAccount: { why: 'a workspace keeps its owner', fields: { role: undefined } },
  createElement: { why: 'picture and sound can be read', fields: { image: PICTURE, voice: undefined } },
  addEndpoint: {
    why: 'an endpoint has either a url or an inbox',
    fields: { url: `${emulator.url}/_emulator/inbox/plain`, inbox: undefined },
  },
  createFault: { why: 'an effect has one kind, which fits the match', fields: { match, effect: { status: 503 } } },
  createHold: { why: 'what is held is of the match', fields: { match, at: 'request' } },
  releaseHold: {
    why: 'an effect has one kind, and a message is one that is held',
    fields: { effect: { status: 503 }, message: undefined },
  },
  addFixtures: {
    why: 'an answer has one kind',
    fields: { fixtures: [{ match: { operation: 'createChatCompletion' }, answer: { text: 'Ahoy.' } }] },
  },
  createFlow: { why: 'the params of a step follow its type', fields: STEPS },
};

/** Not sent here: an answer without an end, a wait for what other requests have cleared, the tar that an export has answered. */
const LEFT_OUT = ['streamLive', 'waitFor'];

const DOCUMENTS = ['/openapi.json', '/_emulator/openapi.json'];
const PATIENCE = 240_000;

it.each(Object.keys(WORDS))(
  'accepts requests for %s only with facts that its schema cannot express',
  async (operationId) => {
    const operations = await Promise.all(DOCUMENTS.map((document) => requests.operations(document)));
    const operation = operations.flat().find((each) => each.operationId === operationId);
    expect(operation).toBeDefined();
    expect(operation && (await requests.refused(operation, NEAR))).not.toEqual([]);
  },
  PATIENCE,
);

it.each(DOCUMENTS)(
  'accepts up to three generated requests for every operation of %s',
  async (document) => {
    const refused: string[] = [];
    const operations = await requests.operations(document);
    for (const operation of operations.filter(({ operationId }) => !LEFT_OUT.includes(operationId))) {
      refused.push(...(await requests.refused(operation, WORDS[operation.operationId]?.fields)));
    }
    expect(refused).toEqual([]);
  },
  PATIENCE,
);
