import { z } from 'zod';
import { EmulatorError, invalid, quoted } from '../../base/errors.ts';
import { type Catalogue, type PriceTerm, price } from '../../engine/catalogue/catalogue.ts';
import type { DirectedText } from '../../engine/faults/directives.ts';
import type { PaidOperation } from '../../engine/faults/paid-work.ts';
import { requireSource } from '../../engine/generation/music.ts';
import type { ChatBody } from '../../service/api/chat/chat-schemas.ts';
import { SERVICE } from '../../service/api/routes.ts';
import { chosenForm } from '../../service/api/videos/video-order.ts';
import type { VideoBody } from '../../service/api/videos/video-schemas.ts';
import { InputReader, optional, whole } from '../../service/http/input.ts';
import { jsonObject } from '../../service/http/json-bounds.ts';
import { operation } from '../../service/http/operation.ts';
import { inWords, type OwnKind, TERMS } from './price-terms.ts';

/** What a request would cost: so many charges, each the sum of the terms. */
interface OrderPrice {
  /** All charges together. */
  credits: number;
  charges: number;
  terms: PriceTerm[];
  text: string;
}

interface PricedOrder {
  catalogue: Catalogue;
  /** The validated body; of an upload, its text fields. */
  body: unknown;
  /** Of an upload: the size of its file. */
  bytes: number;
}

/** The price of a request that was not sent. Throws what the operation would refuse, as far as the body shows. */
function priceOrder(paid: PaidOperation, order: PricedOrder): OrderPrice {
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

export const priceRequest = operation({
  name: 'priceRequest',
  method: 'POST',
  path: '/_emulator/price',
  summary: 'What a request of the service would cost, or why it would be refused; nothing is made.',
  access: 'local',
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
