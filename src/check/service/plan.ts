import { SERVICE } from '../../service/api/routes.ts';

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
  /** Of what is to be refused: what it costs where it is accepted instead, in credits. */
  risk?: number;
  /** Whose published price counts where it is higher. */
  model?: string;
  /** How it is read there, by its first group; by default what the list begins with. */
  per?: RegExp;
  /** How many of it are ordered: 1. */
  units?: number;
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
const WAV_HEAD = 'UklGRmQfAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YUAfAAA=';
const SILENCE = Buffer.concat([Buffer.from(WAV_HEAD, 'base64'), Buffer.alloc(8000, 128)]);

const PROMPT = 'svc-emulator-drift: a lighthouse';
const UNKNOWN = '000000000000000000000000';
const CHAT = { model: 'svc-rp-mini', messages: [{ role: 'user', content: 'Say yes.' }], max_tokens: 16 };
const SONG = { model: 'svc-music-one', prompt: PROMPT, seconds: 30, n: 1, instrumental: true };
const CLIP = { model: 'svc-motion-one', prompt: PROMPT, duration: '5s' };
const HOOK = { url: `https://${HOOK_HOST}/${NAME}`, events: ['flow.run.waiting'] };

/** What each operation is asked with; the others are asked by their path alone. */
export const BODIES: Readonly<Record<string, Pick<PlannedRequest, 'json' | 'form'>>> = {
  createChatCompletion: { json: CHAT },
  createImage: { json: { prompt: PROMPT } },
  createVideo: { json: CLIP },
  createSpeech: { json: { input: 'Yes.', voice: 'aria' } },
  createTranscription: { form: { file: SILENCE } },
  uploadObject: { form: { name: `${NAME}.txt`, file: Buffer.from('Yes.') } },
  createSong: { json: SONG },
  createWebhook: { json: HOOK },
};

/** What ids begin with in the path of these; others are those of jobs. */
const ID_KINDS: Readonly<Record<string, string>> = { deleteObject: 'obj', deleteWebhook: 'we' };
const QUERIES: Readonly<Record<string, string>> = { sampleWebhooks: '?event=flow.run.waiting' };

type Row = Omit<PlannedCase, 'id' | 'operation' | 'case' | 'request'> & { request?: Partial<PlannedRequest> };

/** A case of an operation, in words: its usual request but for the values named, of what another case has made. */
function of(operation: string, name: string, words: string, { request, ...row }: Row = {}): PlannedCase {
  const { method = 'GET', path = '' } = SERVICE.find((each) => each.name === operation) ?? {};
  const id = row.needs === undefined ? `${ID_KINDS[operation] ?? 'job'}_${UNKNOWN}` : '{id}';
  const usual = { method, path: path.replace(':id', id) + (QUERIES[operation] ?? ''), ...BODIES[operation] };
  return { ...row, id: `${operation} ${name}`, operation, case: words, request: { ...usual, ...request } };
}

/** What a request of each paid operation costs where it is served as it stands, in credits. */
const RISKS: Readonly<Record<string, number>> = {
  createChatCompletion: 1,
  uploadObject: 2,
  createSpeech: 3,
  createSong: 3,
  createTranscription: 5,
  createImage: 10,
  createVideo: 100,
};

const WITH_KEY = SERVICE.map(({ name }) => name).filter((name) => name !== 'listModels');

const MISSING = 'without a field that is required';

/** The same case of several operations. */
function ofEach(operations: readonly string[], name: string, words: string, request: Partial<PlannedRequest> = {}) {
  return operations.map((operation) => of(operation, name, words, { request }));
}

const refused = [
  ...ofEach(WITH_KEY, 'no-key', 'without a key', { key: 'none' }),
  // Of what is free alone: a service that takes any key would charge for the rest.
  ...ofEach(['getAccount', 'listWebhooks'], 'wrong-key', 'with a key that does not exist', { key: 'wrong' }),
  ...Object.entries({
    createChatCompletion: { ...CHAT, messages: undefined },
    createImage: {},
    createVideo: { model: 'svc-motion-one' },
    createSpeech: { voice: 'aria' },
    createSong: { seconds: 30, n: 1 },
    createWebhook: { url: HOOK.url },
  }).map(([name, json]) => of(name, 'missing-field', MISSING, { request: { json } })),
  ...ofEach(['createTranscription', 'uploadObject'], 'missing-field', MISSING, { form: { language: 'en' } }),
  of('sampleWebhooks', 'missing-field', MISSING, { request: { path: '/v1/webhooks/samples' } }),
  ...['createChatCompletion', 'createImage', 'createVideo', 'createSpeech', 'createSong'].map((name) =>
    of(name, 'unknown-model', 'with a model that does not exist', {
      request: { json: { ...BODIES[name]?.json, model: 'svc-emulator-drift-none' } },
    }),
  ),
  ...ofEach(['getVideo', 'getSong', 'deleteObject', 'deleteWebhook'], 'unknown-id', 'with an id that does not exist'),
  of('createWebhook', 'unknown-flow', 'with a flow that does not exist', {
    request: { json: { ...HOOK, flow_id: `flow_${UNKNOWN}` } },
  }),
  ...ofEach(
    ['createChatCompletion', 'createImage', 'listModels', 'getAccount', 'listWebhooks'],
    'wrong-method',
    'by a method that the path does not have',
    { method: 'PATCH', json: {}, form: undefined },
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
      price: 1,
      model: 'svc-rp-mini',
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
      price: 3,
      model: 'svc-rp-plus',
      request: { json: { ...CHAT, model: 'svc-rp-plus' } },
    }),
  ],
  [of('createTranscription', 'hears', 'transcribes a second', { price: 5, model: 'svc-scribe-one' })],
  [of('createImage', 'draws', 'draws a picture', { price: 10, model: 'svc-image-one', media: 'b64_json' })],
  [
    of('createVideo', 'orders', 'orders four seconds of the cheapest engine that is published', {
      price: 36,
      model: '{engine}',
      units: 4,
      request: { json: { model: '{engine}', prompt: PROMPT, seconds: 4 } },
    }),
    of('getVideo', 'ends', 'polls the clip until it is final', { needs: 'createVideo orders', polls: true }),
    of('getVideo', 'file', 'reads the file of the clip', { needs: 'getVideo ends', request: FILE, media: 'body' }),
  ],
  [
    of('createVideo', 'renders', 'renders a clip of the own engine', {
      price: 100,
      model: 'svc-motion-one',
      per: /\b(\d{1,9}) credits? for 5s/,
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

/** What each measurement begins with: the balance, and the published prices. */
const FIRST = ['getAccount read', 'listModels read'];

/** These cases with all that they need. */
export function withNeeds(ids: Iterable<string>): Set<string> {
  const chosen = new Set([...FIRST, ...ids]);
  for (const { id, needs, makes } of [...FREE, ...PAID.flat()].toReversed()) {
    if (!chosen.has(id)) continue;
    if (needs !== undefined) chosen.add(needs);
    // What is listed are all three.
    if (makes === 'webhook') for (const nth of ['first', 'second']) chosen.add(`createWebhook ${nth}`);
  }
  return chosen;
}
