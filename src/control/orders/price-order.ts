import { type Catalogue, type PriceTerm, price } from '../../engine/catalogue/catalogue.ts';
import type { DirectedText } from '../../engine/faults/directives.ts';
import type { PaidOperation } from '../../engine/faults/paid-work.ts';
import { requireSource } from '../../engine/generation/music.ts';
import type { ChatBody } from '../../service/api/chat/chat-schemas.ts';
import { chosenForm } from '../../service/api/videos/video-order.ts';
import type { VideoBody } from '../../service/api/videos/video-schemas.ts';
import { inWords, type OwnKind, TERMS } from './price-terms.ts';

/** What a request would cost: so many charges, each the sum of the terms. */
export interface OrderPrice {
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
export function priceOrder(operation: PaidOperation, order: PricedOrder): OrderPrice {
  const { catalogue, body, bytes } = order;
  const { charges = 1, ...decided } = DECIDED[operation](order);
  const terms = TERMS[operation]({ catalogue, body, bytes, ...decided }) ?? [];
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
