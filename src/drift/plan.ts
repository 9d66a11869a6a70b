/** What a request of the plan is sent as. */
export interface PlannedRequest {
  method: string;
  /** `{id}` is the one that the case's `needs` has made, `{url}` an address in its answer; `NAME` is what drift names its own. */
  path: string;
  key?: 'none' | 'wrong';
  json?: object;
  /** A form; a Buffer is a file. */
  form?: Readonly<Record<string, string | Buffer>>;
}

/** One row of the plan. */
export interface PlannedCase {
  id: string;
  /** As the OpenAPI document calls it. */
  operation: string;
  case: string;
  request: PlannedRequest;
  /** The case without whose answer this one cannot be asked. */
  needs?: string;
  /** The price by the specification, in credits; free where there is none. */
  price?: number;
  /** Whose published price counts where it is higher, and how it is read: the first group times `units`. */
  published?: { model: string; price: RegExp; units?: number };
  /** What it makes, and is deleted in the end. */
  makes?: 'webhook' | 'object';
  /** Polls until the job of the answer of `needs` is final. */
  polls?: true;
  /** What is read of the bytes of the answer. */
  media?: 'body' | 'b64_json';
}

/** Stands for the name of what drift makes. */
export const NAME = 'svc-emulator-drift-NAME';
/** Resolves nowhere: no event of anybody can reach it. */
export const HOOK_HOST = 'svc-emulator-drift.invalid';

/** A second of silence: mono, 8 bits, 8 kHz. */
function silentWav(): Buffer {
  const rate = 8000;
  const head = Buffer.alloc(44);
  head.write('RIFF', 0);
  head.writeUInt32LE(36 + rate, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(rate, 24);
  head.writeUInt32LE(rate, 28);
  head.writeUInt16LE(1, 32);
  head.writeUInt16LE(8, 34);
  head.write('data', 36);
  head.writeUInt32LE(rate, 40);
  return Buffer.concat([head, Buffer.alloc(rate, 128)]);
}

const PROMPT = 'svc-emulator-drift: a lighthouse';
const UNKNOWN = '000000000000000000000000';
const CHAT = { model: 'svc-rp-mini', messages: [{ role: 'user', content: 'Say yes.' }], max_tokens: 16 };
const SONG = { model: 'svc-music-one', prompt: PROMPT, seconds: 30, n: 1, instrumental: true };
const CLIP = { model: 'svc-motion-one', prompt: PROMPT, duration: '5s' };
const HOOK = { url: `https://${HOOK_HOST}/${NAME}`, events: ['flow.run.waiting'] };

/** What each operation is asked with; those without a body are asked by their path alone. */
const OPERATIONS: Readonly<Record<string, Pick<PlannedRequest, 'method' | 'path' | 'json' | 'form'>>> = {
  createChatCompletion: { method: 'POST', path: '/v1/chat/completions', json: CHAT },
  createImage: { method: 'POST', path: '/v1/images/generations', json: { prompt: PROMPT } },
  createVideo: { method: 'POST', path: '/v1/videos/generations', json: CLIP },
  getVideo: { method: 'GET', path: `/v1/videos/generations/job_${UNKNOWN}` },
  createSpeech: { method: 'POST', path: '/v1/audio/speech', json: { input: 'Yes.', voice: 'aria' } },
  createTranscription: { method: 'POST', path: '/v1/audio/transcriptions', form: { file: silentWav() } },
  uploadObject: {
    method: 'POST',
    path: '/v1/storage/objects',
    form: { name: `${NAME}.txt`, file: Buffer.from('Yes.') },
  },
  listObjects: { method: 'GET', path: '/v1/storage/objects' },
  deleteObject: { method: 'DELETE', path: `/v1/storage/objects/obj_${UNKNOWN}` },
  listModels: { method: 'GET', path: '/v1/models' },
  getAccount: { method: 'GET', path: '/v1/account' },
  createSong: { method: 'POST', path: '/v1/music/generations', json: SONG },
  getSong: { method: 'GET', path: `/v1/music/generations/job_${UNKNOWN}` },
  listWebhooks: { method: 'GET', path: '/v1/webhooks' },
  createWebhook: { method: 'POST', path: '/v1/webhooks', json: HOOK },
  sampleWebhooks: { method: 'GET', path: '/v1/webhooks/samples?event=flow.run.waiting' },
  deleteWebhook: { method: 'DELETE', path: `/v1/webhooks/we_${UNKNOWN}` },
};

type Row = Omit<PlannedCase, 'id' | 'operation' | 'request'> & { id?: string; request?: Partial<PlannedRequest> };

/** A case of an operation: its usual request but for what is given. */
function of(operation: string, name: string, { request, ...row }: Row): PlannedCase {
  const { method = 'GET', path = '', ...usual } = OPERATIONS[operation] ?? {};
  return { ...row, id: `${operation} ${name}`, operation, request: { method, path, ...usual, ...request } };
}

const WITH_KEY = Object.keys(OPERATIONS).filter((name) => name !== 'listModels');

const refused = [
  ...WITH_KEY.map((name) => of(name, 'no-key', { case: 'without a key', request: { key: 'none' } })),
  ...['createChatCompletion', 'getAccount', 'listWebhooks'].map((name) =>
    of(name, 'wrong-key', { case: 'with a key that does not exist', request: { key: 'wrong' } }),
  ),
  ...Object.entries({
    createChatCompletion: { ...CHAT, messages: undefined },
    createImage: {},
    createVideo: { model: 'svc-motion-one' },
    createSpeech: { voice: 'aria' },
    createSong: { seconds: 30 },
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
const FOR_5S = /([\d,]+) credits? for 5s/;

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

/** What costs nothing, in its order. */
export const FREE: readonly PlannedCase[] = [...read, ...refused];

/** What costs something, the cheapest first. */
export const PAID: readonly (readonly PlannedCase[])[] = paid;
