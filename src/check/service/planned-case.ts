import { posix } from 'node:path';

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

export const PROMPT = 'svc-emulator-drift: a lighthouse';
export const UNKNOWN = '000000000000000000000000';
export const CHAT = { model: 'svc-rp-mini', messages: [{ role: 'user', content: 'Say yes.' }], max_tokens: 16 };
export const SONG = { model: 'svc-music-one', prompt: PROMPT, seconds: 30, n: 1, instrumental: true };
export const CLIP = { model: 'svc-motion-one', prompt: PROMPT, duration: '5s' };
export const HOOK = { url: `https://${HOOK_HOST}/${NAME}`, events: ['flow.run.waiting'] };

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

type Row = Omit<PlannedCase, 'id' | 'operation' | 'case' | 'request'> & { request?: Partial<PlannedRequest> };

/** A case of an operation, in words: its usual request but for the values named, of what another case has made. */
export function of(operation: string, name: string, words: string, { request, ...row }: Row = {}): PlannedCase {
  const { method = 'GET', path: unknown = '', ...usual } = OPERATIONS[operation] ?? {};
  const isOfMade = row.needs !== undefined && unknown.endsWith(UNKNOWN);
  const made = isOfMade ? `${posix.dirname(unknown)}/{id}` : unknown;
  const sent = { method, path: made, ...usual, ...request };
  return { ...row, id: `${operation} ${name}`, operation, case: words, request: sent };
}

/** What a request of each paid operation costs where it is served as it stands, in credits. */
export const RISKS: Readonly<Record<string, number>> = {
  ...{ createChatCompletion: 1, uploadObject: 2, createSpeech: 3, createSong: 3, createTranscription: 5 },
  ...{ createImage: 10, createVideo: 100 },
};

export const WITH_KEY = Object.keys(OPERATIONS).filter((name) => name !== 'listModels');

/** The form of each operation that takes one: what a recording has of a file is not the file. */
export const USUAL_FORMS: Readonly<Record<string, PlannedRequest['form']>> = {
  createTranscription: OPERATIONS.createTranscription?.form,
  uploadObject: OPERATIONS.uploadObject?.form,
};
