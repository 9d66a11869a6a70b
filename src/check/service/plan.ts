import { CHAT, CLIP, HOOK, of, type PlannedCase, PROMPT, RISKS, SONG, UNKNOWN, WITH_KEY } from './planned-case.ts';

const MISSING = 'without a field that is required';

const refused = [
  ...WITH_KEY.map((name) => of(name, 'no-key', 'without a key', { request: { key: 'none' } })),
  // Of what is free alone: a service that takes any key would charge for the rest.
  ...['getAccount', 'listWebhooks'].map((name) =>
    of(name, 'wrong-key', 'with a key that does not exist', { request: { key: 'wrong' } }),
  ),
  ...Object.entries({
    createChatCompletion: { ...CHAT, messages: undefined },
    createImage: {},
    createVideo: { model: 'svc-motion-one' },
    createSpeech: { voice: 'aria' },
    createSong: { seconds: 30, n: 1 },
    createWebhook: { url: HOOK.url },
  }).map(([name, json]) => of(name, 'missing-field', MISSING, { request: { json } })),
  ...['createTranscription', 'uploadObject'].map((name) =>
    of(name, 'missing-field', MISSING, { request: { form: { language: 'en' } } }),
  ),
  of('sampleWebhooks', 'missing-field', MISSING, { request: { path: '/v1/webhooks/samples' } }),
  ...Object.entries({
    createChatCompletion: CHAT,
    createImage: { prompt: PROMPT },
    createVideo: CLIP,
    createSpeech: { input: 'Yes.', voice: 'aria' },
    createSong: SONG,
  }).map(([name, json]) =>
    of(name, 'unknown-model', 'with a model that does not exist', {
      request: { json: { ...json, model: 'svc-emulator-drift-none' } },
    }),
  ),
  ...['getVideo', 'getSong', 'deleteObject', 'deleteWebhook'].map((name) =>
    of(name, 'unknown-id', 'with an id that does not exist'),
  ),
  of('createWebhook', 'unknown-flow', 'with a flow that does not exist', {
    request: { json: { ...HOOK, flow_id: `flow_${UNKNOWN}` } },
  }),
  ...['createChatCompletion', 'createImage', 'listModels', 'getAccount', 'listWebhooks'].map((name) =>
    of(name, 'wrong-method', 'by a method that the path does not have', {
      request: { method: 'PATCH', json: {}, form: undefined },
    }),
  ),
  of('listModels', 'unknown-path', 'at a path that does not exist', { request: { path: '/v1/nothing-here' } }),
];

/** What a request that is to be refused makes where it is accepted. */
const MAKES: Readonly<Record<string, Pick<PlannedCase, 'makes'>>> = {
  createWebhook: { makes: 'webhook' },
  uploadObject: { makes: 'object' },
};

const SUBJECTS = ['image.generation', 'video.generation', 'music.generation', 'flow.run'];
const EVENTS = [...SUBJECTS.flatMap((subject) => [`${subject}.succeeded`, `${subject}.failed`]), 'flow.run.waiting'];

const read = [
  of('getAccount', 'read', 'reads the account'),
  of('listModels', 'read', 'lists the models, without a key', { request: { key: 'none' } }),
  of('listObjects', 'read', 'lists the stored objects'),
  ...EVENTS.map((event) =>
    of('sampleWebhooks', event, `asks for samples of ${event}`, {
      request: { path: `/v1/webhooks/samples?event=${event}` },
    }),
  ),
  ...['first', 'second', 'third'].map((nth) =>
    of('createWebhook', nth, `makes a ${nth} endpoint`, { makes: 'webhook' }),
  ),
  of('listWebhooks', 'own', 'lists three endpoints of its own', { needs: 'createWebhook third' }),
  of('deleteWebhook', 'own', 'deletes an endpoint', { needs: 'createWebhook first' }),
  of('deleteWebhook', 'again', 'deletes an endpoint that is gone', { needs: 'deleteWebhook own' }),
];

const FILE = { method: 'GET', path: '{url}', key: 'none' } as const;

/** What costs something, the cheapest first; each with what can be read of it for nothing right after. */
export const PAID: readonly (readonly PlannedCase[])[] = [
  [of('createChatCompletion', 'completes', 'completes a chat', { price: 1, model: 'svc-rp-mini' })],
  [
    of('createChatCompletion', 'streams', 'streams a chat', {
      ...{ price: 1, model: 'svc-rp-mini' },
      request: { json: { ...CHAT, stream: true } },
    }),
  ],
  [
    of('uploadObject', 'stores', 'uploads a file', { price: 2, makes: 'object' }),
    of('listObjects', 'own', 'lists an object of its own', { needs: 'uploadObject stores' }),
    of('deleteObject', 'own', 'deletes an object', { needs: 'uploadObject stores' }),
    of('deleteObject', 'file', "reads a deleted object's address", { needs: 'deleteObject own', request: FILE }),
  ],
  [of('createSpeech', 'speaks', 'speaks a sentence', { price: 3, model: 'svc-voice-one', media: 'body' })],
  [
    of('createSong', 'orders', 'orders one take of a song', { price: 3, model: 'svc-music-one' }),
    of('getSong', 'ends', 'polls the take until it is final', { needs: 'createSong orders', polls: true }),
    of('getSong', 'file', 'reads the file of the take', { needs: 'getSong ends', request: FILE, media: 'body' }),
    of('sampleWebhooks', 'take', 'asks for the event of the take', {
      needs: 'getSong ends',
      request: { path: '/v1/webhooks/samples?event=music.generation.{outcome}' },
    }),
  ],
  [
    of('createChatCompletion', 'plus', 'completes a chat of svc-rp-plus', {
      ...{ price: 3, model: 'svc-rp-plus' },
      request: { json: { ...CHAT, model: 'svc-rp-plus' } },
    }),
  ],
  [of('createTranscription', 'hears', 'transcribes a second', { price: 5, model: 'svc-scribe-one' })],
  [of('createImage', 'draws', 'draws a picture', { price: 10, model: 'svc-image-one', media: 'b64_json' })],
  [
    of('createVideo', 'orders', 'orders four seconds of the cheapest engine that is published', {
      ...{ price: 36, model: '{engine}', units: 4 },
      request: { json: { model: '{engine}', prompt: PROMPT, seconds: 4 } },
    }),
    of('getVideo', 'ends', 'polls the clip until it is final', { needs: 'createVideo orders', polls: true }),
    of('getVideo', 'file', 'reads the file of the clip', { needs: 'getVideo ends', request: FILE, media: 'body' }),
  ],
  [
    of('createVideo', 'renders', 'renders a clip of the own engine', {
      ...{ price: 100, model: 'svc-motion-one', per: /\b(\d{1,9}) credits? for 5s/ },
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
