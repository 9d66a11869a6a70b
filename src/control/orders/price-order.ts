import { z } from 'zod';
import { EmulatorError, invalid, quoted } from '../../base/errors.ts';
import { counted } from '../../base/text.ts';
import {
  type Catalogue,
  chatTerms,
  imageTerms,
  keepTerms,
  type PriceTerm,
  price,
  speechTerms,
  takeTerms,
  transcriptionTerms,
  uploadTerms,
} from '../../engine/catalogue/catalogue.ts';
import { type ClipTerms, clipTerms, ownClipTerms } from '../../engine/catalogue/clips.ts';
import type { DirectedText } from '../../engine/faults/directives.ts';
import type { PaidOperation } from '../../engine/faults/paid-work.ts';
import { planClip } from '../../engine/generation/clip-plan.ts';
import { requireSource } from '../../engine/generation/music.ts';
import { type ChatBody, readChat } from '../../service/api/chat/chat-schemas.ts';
import { SERVICE } from '../../service/api/routes.ts';
import { chosenForm, clipWishes } from '../../service/api/videos/video-order.ts';
import type { VideoBody } from '../../service/api/videos/video-schemas.ts';
import { codePoints, InputReader, optional, whole } from '../../service/http/input.ts';
import { jsonObject } from '../../service/http/json-bounds.ts';
import { post } from '../control-operation.ts';

interface PricedOrder {
  catalogue: Catalogue;
  /** The validated body; of an upload, its text fields. */
  body: unknown;
  /** Of an upload: the size of its file. */
  bytes: number;
}

/** The price of a request that was not sent: so many charges, each the sum of the terms, and all together. Throws what the operation would refuse, as far as the body shows. */
function priceOrder(paid: PaidOperation, order: PricedOrder) {
  const { catalogue, body, bytes } = order;
  const { charges = 1, ...decided } = DECIDED[paid](order);
  const terms = TERMS[paid]({ catalogue, body, bytes, ...decided }) ?? [];
  const each = price(terms);
  const takes = charges > 1 ? `, for each of ${charges} takes` : '';
  return { credits: each * charges, charges, terms, text: inWords(terms, each) + takes };
}

/** What decides a price beside the body: model, effective parameters and, of a song, how many takes. */
interface Decided {
  model: string | null;
  parameters: Record<string, unknown>;
  charges?: number;
}

interface Fields {
  model?: string;
  store?: boolean;
  input: DirectedText;
  seconds: number;
  n: number;
}

const DECIDED: Record<PaidOperation, (order: PricedOrder) => Decided> = {
  'chat.completion': ({ body }) => ({ model: (body as ChatBody).model, parameters: {} }),
  'image.generation': (order) => ofKind(order, 'image', ({ store }) => ({ store })),
  'video.generation': ({ catalogue, body }) => {
    const { store } = body as VideoBody;
    const form = chosenForm({ body: body as VideoBody, context: { catalogue } });
    const parameters = form.isSynchronous ? { duration: form.duration, store } : { store };
    return { model: form.engine.id, parameters };
  },
  'music.generation': (order) => {
    requireSource(order.body as Parameters<typeof requireSource>[0]);
    return { ...ofKind(order, 'music', ({ seconds }) => ({ seconds })), charges: (order.body as Fields).n };
  },
  'audio.speech': (order) => ofKind(order, 'speech', ({ input }) => ({ input: input.text })),
  'audio.transcription': (order) => ofKind(order, 'transcription', () => ({})),
  'storage.object': () => ({ model: null, parameters: {} }),
};

function ofKind(
  { catalogue, body }: PricedOrder,
  kind: OwnKind,
  parametersOf: (fields: Fields) => Record<string, unknown>,
): Decided {
  const fields = body as Fields;
  return { model: catalogue.chosen(fields.model, kind), parameters: parametersOf(fields) };
}

/** The largest file that an upload takes, in bytes. */
const MOST_BYTES = 100 * 1_048_576;

const ORDERS = new Map(SERVICE.map(({ name, paid, body }) => [name, { paid, reader: body && new InputReader(body) }]));

const NOTHING = { credits: 0, charges: 0, terms: [], text: 'Free', ignored: [], refusal: null };

/** What a request would cost, as terms whose sum it is, or why it would be refused. */
const priceRecord = z.strictObject({
  operation: z.string(),
  credits: z.int(),
  charges: z.int(),
  terms: z.array(z.strictObject({ times: z.number(), credits: z.number(), for: z.string() })),
  text: z.string(),
  ignored: z.array(z.string()),
  refusal: z.strictObject({ code: z.string(), message: z.string(), param: z.string().nullable() }).nullable(),
});

export const priceRequest = post('priceRequest', '/_emulator/price', {
  summary: 'Shows what a request would cost or why it would be refused; nothing is created.',
  body: z.object({
    operation: z
      .string()
      .describe('an operationId of /openapi.json, such as createImage.')
      .meta({ enum: [...ORDERS.keys()] }),
    body: optional(jsonObject()).describe('the body of the request; of an upload, its text fields.'),
    bytes: optional(whole(0, MOST_BYTES)).describe('of an upload: the size of its file in bytes.'),
  }),
  answer: priceRecord,
  handle({ context, body: { operation: name, body = {}, bytes = 0 } }) {
    const order = ORDERS.get(name);
    if (!order) throw noOperation(name);
    try {
      const value = order.reader?.read(body);
      const ignored = order.reader?.unknown(body) ?? [];
      if (!order.paid) return { operation: name, ...NOTHING, ignored };
      const price = priceOrder(order.paid, { catalogue: context.catalogue, body: value, bytes });
      return { operation: name, ...NOTHING, ...price, ignored };
    } catch (error) {
      if (!(error instanceof EmulatorError)) throw error;
      const { code, message, param } = error;
      return { operation: name, ...NOTHING, text: 'Refused', refusal: { code, message, param } };
    }
  },
});

function noOperation(name: string) {
  const names = [...ORDERS.keys()].join(', ');
  return invalid('operation', `operation ${quoted(name)} is none of the service; use one of: ${names}.`);
}

/** What one charge of a request paid for: what its price is made from. */
interface PricedCharge {
  catalogue: Catalogue;
  model: string | null;
  /** The effective parameters of its job; empty where there is none. */
  parameters: Record<string, unknown>;
  /** The validated body; undefined where it is not on record whole. */
  body: unknown;
  /** Of an upload: the size of its file. */
  bytes: number | undefined;
  /** How many pictures of elements its clip shows, as far as that is on record. */
  figures?: number;
}

/** The terms of which each price is the sum; undefined where what decides it is not on record. */
export const TERMS: Record<PaidOperation, (charge: PricedCharge) => PriceTerm[] | undefined> = {
  'chat.completion': ({ catalogue, model, body }) => {
    if (body === undefined) return undefined;
    const { messages } = readChat(body as ChatBody);
    const images = messages.reduce((sum, message) => sum + message.images, 0);
    return chatTerms(catalogue.model(model ?? '', 'chat'), images);
  },
  'image.generation': (charge) => [...imageTerms(modelOf(charge, 'image')), ...stored(charge)],
  'video.generation': clipOf,
  'music.generation': (charge) => {
    const seconds = Number(charge.parameters.seconds ?? secondsIn(charge.body));
    return Number.isFinite(seconds) ? takeTerms(modelOf(charge, 'music'), seconds) : undefined;
  },
  'audio.speech': (charge) => {
    const { input } = charge.parameters;
    return typeof input === 'string' ? speechTerms(modelOf(charge, 'speech'), codePoints(input)) : undefined;
  },
  'audio.transcription': (charge) => transcriptionTerms(modelOf(charge, 'transcription')),
  'storage.object': ({ catalogue, bytes }) =>
    bytes === undefined ? undefined : uploadTerms(catalogue.file.storage.creditsPerStarted10MiB, bytes),
};

/** The terms of a charge; none where what decides them is not on record, or is none of this catalogue. */
export function termsOf(operation: PaidOperation, charge: PricedCharge): PriceTerm[] {
  try {
    return TERMS[operation](charge) ?? [];
  } catch {
    return [];
  }
}

/** The sum, written out. */
export function inWords(terms: readonly PriceTerm[], sum: number): string {
  const parts = terms.map((term) => `${term.times} × ${term.credits} (${term.for})`);
  return parts.length === 0 ? counted(sum, 'credit') : `${parts.join(' + ')} = ${sum}`;
}

type OwnKind = 'image' | 'speech' | 'transcription' | 'music';

function modelOf({ catalogue, model }: PricedCharge, kind: OwnKind) {
  return catalogue.model(model ?? catalogue.standard(kind), kind);
}

function stored({ catalogue, parameters }: PricedCharge): PriceTerm[] {
  return keepTerms(catalogue, parameters.store === true);
}

function clipOf(charge: PricedCharge): PriceTerm[] {
  const { catalogue, parameters, body, figures = 0 } = charge;
  const model = charge.model ?? '';
  const { duration } = parameters;
  if (duration === '5s' || duration === '10s') {
    return [...ownClipTerms(catalogue.file.ownClips[duration], { duration, model }), ...stored(charge)];
  }
  const clip = body === undefined ? recordedClip(parameters) : plannedClip(body, catalogue);
  const pictures = clip.pictures + figures;
  return [...clipTerms(catalogue.engine(model), { ...clip, pictures }), ...stored(charge)];
}

function plannedClip(body: unknown, catalogue: Catalogue): ClipTerms {
  const { engine } = chosenForm({ body: body as VideoBody, context: { catalogue } });
  const plan = planClip(engine, clipWishes(body as VideoBody));
  return { ...plan, pictures: plan.pictures.length };
}

function recordedClip(parameters: Record<string, unknown>): ClipTerms {
  const { reference, references } = parameters;
  const others = Array.isArray(references) ? references.length : 0;
  return { ...(parameters as never as ClipTerms), pictures: (reference ? 1 : 0) + others };
}

function secondsIn(body: unknown): unknown {
  return typeof body === 'object' && body !== null ? Reflect.get(body, 'seconds') : undefined;
}
