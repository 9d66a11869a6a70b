import { CHAT, CLIP, HOOK, of, type PlannedCase, PROMPT, RISKS, SONG, UNKNOWN, WITH_KEY } from './planned-case.ts';

const refused = [
  ...WITH_KEY.map((name) => of(name, 'no-key', { case: 'without a key', request: { key: 'none' } })),
  // Of what is free alone: a service that takes any key would charge for the rest.
  ...['getAccount', 'listWebhooks'].map((name) =>
    of(name, 'wrong-key', { case: 'with a key that does not exist', request: { key: 'wrong' } }),
  ),
  ...Object.entries({
    createChatCompletion: { ...CHAT, messages: undefined },
    createImage: {},
    createVideo: { model: 'svc-motion-one' },
    createSpeech: { voice: 'aria' },
    createSong: { seconds: 30, n: 1 },
    createWebhook: { url: HOOK.url },
  }).map(([name, json]) => of(name, 'missing-field', { case: 'without a field that is required', request: { json } })),
  ...['createTranscription', 'uploadObject'].map((name) =>
    of(name, 'missing-field', { case: 'without a field that is required', request: { form: { language: 'en' } } }),
  ),
  of('sampleWebhooks', 'missing-field', {
    case: 'without a field that is required',
    request: { path: '/v1/webhooks/samples' },
  }),
  ...Object.entries({
    createChatCompletion: CHAT,
    createImage: { prompt: PROMPT },
    createVideo: CLIP,
    createSpeech: { input: 'Yes.', voice: 'aria' },
    createSong: SONG,
  }).map(([name, json]) =>
    of(name, 'unknown-model', {
      case: 'with a model that does not exist',
      request: { json: { ...json, model: 'svc-emulator-drift-none' } },
    }),
  ),
  ...['getVideo', 'getSong', 'deleteObject', 'deleteWebhook'].map((name) =>
    of(name, 'unknown-id', { case: 'with an id that does not exist' }),
  ),
  of('createWebhook', 'unknown-flow', {
    case: 'with a flow that does not exist',
    request: { json: { ...HOOK, flow_id: `flow_${UNKNOWN}` } },
  }),
  ...['createChatCompletion', 'createImage', 'listModels', 'getAccount', 'listWebhooks'].map((name) =>
    of(name, 'wrong-method', {
      case: 'by a method that the path does not have',
      request: { method: 'PATCH', json: {}, form: undefined },
    }),
  ),
  of('listModels', 'unknown-path', { case: 'at a path that does not exist', request: { path: '/v1/nothing-here' } }),
];

/** What a request that is to be refused makes where it is accepted. */
const MAKES: Readonly<Record<string, Pick<PlannedCase, 'makes'>>> = {
  createWebhook: { makes: 'webhook' },
  uploadObject: { makes: 'object' },
};

const EVENTS = ['image.generation', 'video.generation', 'music.generation', 'flow.run'].flatMap((subject) => [
  `${subject}.succeeded`,
  `${subject}.failed`,
]);

const read = [
  of('getAccount', 'read', { case: 'reads the account' }),
  of('listModels', 'read', { case: 'lists the models, without a key', request: { key: 'none' } }),
  of('listObjects', 'read', { case: 'lists the stored objects' }),
  ...[...EVENTS, 'flow.run.waiting'].map((event) =>
    of('sampleWebhooks', event, {
      case: `asks for samples of ${event}`,
      request: { path: `/v1/webhooks/samples?event=${event}` },
    }),
  ),
  ...['first', 'second', 'third'].map((nth) =>
    of('createWebhook', nth, { case: `makes a ${nth} endpoint`, makes: 'webhook' }),
  ),
  of('listWebhooks', 'own', { case: 'lists three endpoints of its own', needs: 'createWebhook third' }),
  of('deleteWebhook', 'own', {
    case: 'deletes an endpoint',
    needs: 'createWebhook first',
    request: { path: '/v1/webhooks/{id}' },
  }),
  of('deleteWebhook', 'again', {
    case: 'deletes an endpoint that is gone',
    needs: 'deleteWebhook own',
    request: { path: '/v1/webhooks/{id}' },
  }),
];

const FIRST = /^([\d,]+) credits?\b/;
const FOR_5S = /\b(\d{1,9}) credits? for 5s/;

/** Each with what can be read of it for nothing right after. */
const paid: readonly (readonly PlannedCase[])[] = [
  [
    of('createChatCompletion', 'completes', {
      case: 'completes a chat',
      price: 1,
      published: { model: 'svc-rp-mini', price: FIRST },
    }),
  ],
  [
    of('createChatCompletion', 'streams', {
      case: 'streams a chat',
      price: 1,
      published: { model: 'svc-rp-mini', price: FIRST },
      request: { json: { ...CHAT, stream: true } },
    }),
  ],
  [
    of('uploadObject', 'stores', { case: 'uploads a file', price: 2, makes: 'object' }),
    of('listObjects', 'own', { case: 'lists an object of its own', needs: 'uploadObject stores' }),
    of('deleteObject', 'own', {
      case: 'deletes an object',
      needs: 'uploadObject stores',
      request: { path: '/v1/storage/objects/{id}' },
    }),
    of('deleteObject', 'file', {
      case: "reads a deleted object's address",
      needs: 'deleteObject own',
      request: { method: 'GET', path: '{url}', key: 'none' },
    }),
  ],
  [
    of('createSpeech', 'speaks', {
      case: 'speaks a sentence',
      price: 3,
      published: { model: 'svc-voice-one', price: FIRST },
      media: 'body',
    }),
  ],
  [
    of('createSong', 'orders', {
      case: 'orders one take of a song',
      price: 3,
      published: { model: 'svc-music-one', price: FIRST },
    }),
    of('getSong', 'ends', {
      case: 'polls the take until it is final',
      needs: 'createSong orders',
      polls: true,
      request: { path: '/v1/music/generations/{id}' },
    }),
    of('getSong', 'file', {
      case: 'reads the file of the take',
      needs: 'getSong ends',
      request: { path: '{url}', key: 'none' },
      media: 'body',
    }),
    of('sampleWebhooks', 'take', {
      case: 'asks for the event of the take',
      needs: 'getSong ends',
      request: { path: '/v1/webhooks/samples?event=music.generation.{outcome}' },
    }),
  ],
  [
    of('createChatCompletion', 'plus', {
      case: 'completes a chat of svc-rp-plus',
      price: 3,
      published: { model: 'svc-rp-plus', price: FIRST },
      request: { json: { ...CHAT, model: 'svc-rp-plus' } },
    }),
  ],
  [
    of('createTranscription', 'hears', {
      case: 'transcribes a second',
      price: 5,
      published: { model: 'svc-scribe-one', price: FIRST },
    }),
  ],
  [
    of('createImage', 'draws', {
      case: 'draws a picture',
      price: 10,
      published: { model: 'svc-image-one', price: FIRST },
      media: 'b64_json',
    }),
  ],
  [
    of('createVideo', 'orders', {
      case: 'orders four seconds of the cheapest engine that is published',
      price: 36,
      published: { model: '{engine}', price: FIRST, units: 4 },
      request: { json: { model: '{engine}', prompt: PROMPT, seconds: 4 } },
    }),
    of('getVideo', 'ends', {
      case: 'polls the clip until it is final',
      needs: 'createVideo orders',
      polls: true,
      request: { path: '/v1/videos/generations/{id}' },
    }),
    of('getVideo', 'file', {
      case: 'reads the file of the clip',
      needs: 'getVideo ends',
      request: { path: '{url}', key: 'none' },
      media: 'body',
    }),
  ],
  [
    of('createVideo', 'renders', {
      case: 'renders a clip of the own engine',
      price: 100,
      published: { model: 'svc-motion-one', price: FOR_5S },
      media: 'b64_json',
    }),
  ],
];

/** Those that would cost little first: the first that is charged ends them. */
const risked = refused
  .map((each): PlannedCase => ({ ...each, risk: RISKS[each.operation] ?? 0, ...MAKES[each.operation] }))
  .toSorted((a, b) => (a.risk ?? 0) - (b.risk ?? 0));

/** What costs nothing, in its order. */
export const FREE: readonly PlannedCase[] = [...read, ...risked];

/** Operations that are refused only where a budget has room for what they would cost. */
const DEAR = ['createSong', 'createVideo'];

/** Whether a case is sent for nothing alone: those of clips and songs need a budget of their price. */
export function isDear({ operation, risk }: PlannedCase): boolean {
  return risk !== undefined && DEAR.includes(operation);
}

/** What costs something, the cheapest first. */
export const PAID: readonly (readonly PlannedCase[])[] = paid;
