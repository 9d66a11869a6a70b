import { type ChatBody, readChat } from '../api/chat/chat-schemas.ts';
import { chosenForm, clipWishes } from '../api/videos/video-order.ts';
import type { VideoBody } from '../api/videos/video-schemas.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import type { Engine } from '../catalogue/catalogue-file.ts';
import { type ClipTerms, clipRate } from '../catalogue/prices.ts';
import type { PaidOperation } from '../faults/paid-work.ts';
import { planClip } from '../generation/clip-plan.ts';
import { storedPrice } from '../generation/image.ts';
import { codePoints } from '../http/field-schemas.ts';

/** One part of a price: so many times so many credits, for something. */
export interface PriceTerm {
  times: number;
  credits: number;
  for: string;
}

/** What a price is made from: what one charge of a request paid for. */
export interface Priced {
  catalogue: Catalogue;
  model: string | null;
  /** The effective parameters of its job. */
  parameters: Record<string, unknown>;
  /** The validated body. */
  body: unknown;
  /** Of an upload: how large its file is. */
  bytes: number | undefined;
  /** How many pictures of elements its clip shows, as far as that is on record. */
  figures?: number;
}

/** The parts of which the price of each paid operation is the sum; undefined where what decides it is not on record. */
export const PRICE_TERMS: Record<PaidOperation, (priced: Priced) => PriceTerm[] | undefined> = {
  'chat.completion': chatTerms,
  'image.generation': (priced) => [unit(priced, 'image', 1, 'picture'), ...storeTerms(priced)],
  'video.generation': clipTerms,
  'music.generation': songTerms,
  'audio.speech': speechTerms,
  'audio.transcription': (priced) => [unit(priced, 'transcription', 1, 'transcription')],
  'storage.object': uploadTerms,
};

type OwnKind = 'chat' | 'image' | 'speech' | 'transcription' | 'music';

function unit({ catalogue, model }: Priced, kind: OwnKind, times: number, what: string): PriceTerm {
  const id = model ?? (kind === 'chat' ? '' : catalogue.standard(kind));
  return { times, credits: catalogue.model(id, kind).credits, for: `${what} of ${id}` };
}

function chatTerms(priced: Priced): PriceTerm[] | undefined {
  if (priced.body === undefined) return undefined;
  const { messages } = readChat(priced.body as ChatBody);
  const images = messages.reduce((sum, message) => sum + message.images, 0);
  const { surcharge = 0 } = priced.catalogue.model(priced.model ?? '', 'chat');
  const reply = unit(priced, 'chat', 1, 'reply');
  return images === 0 ? [reply] : [reply, { times: images, credits: surcharge, for: 'image' }];
}

function storeTerms({ catalogue, parameters }: Priced): PriceTerm[] {
  return parameters.store === true ? [{ times: 1, credits: storedPrice(catalogue), for: 'store' }] : [];
}

function clipTerms(priced: Priced): PriceTerm[] | undefined {
  const { catalogue, model, parameters, body } = priced;
  const { duration } = parameters;
  if (duration === '5s' || duration === '10s') {
    const credits = catalogue.file.ownClips[duration];
    return [{ times: 1, credits, for: `clip of ${duration} by ${model}` }, ...storeTerms(priced)];
  }
  const engine = catalogue.engine(model ?? '');
  const terms = body === undefined ? recordedClip(parameters) : plannedClip(body, catalogue);
  const pictures = terms.pictures + (priced.figures ?? 0);
  return [...engineTerms(engine, { ...terms, pictures }), ...storeTerms(priced)];
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

function engineTerms(engine: Engine, terms: ClipTerms): PriceTerm[] {
  const { seconds, resolution, audio, pictures } = terms;
  const rate = clipRate(engine, terms);
  const what = `${resolution}${audio ? ' with sound' : ''} by engine ${engine.label}`;
  const base =
    rate?.creditsPerClip === undefined
      ? { times: seconds, credits: rate?.creditsPerSecond ?? 0, for: `second of ${what}` }
      : { times: 1, credits: rate.creditsPerClip, for: `clip of ${what}` };
  const { surcharge } = engine;
  const charged = surcharge?.per === 'reference' ? pictures : Math.min(1, pictures);
  if (!surcharge || charged === 0) return [base];
  return [base, { times: charged, credits: surcharge.credits, for: surcharge.per }];
}

function songTerms(priced: Priced): PriceTerm[] | undefined {
  const seconds = Number(priced.parameters.seconds ?? fieldOf(priced.body, 'seconds'));
  if (!Number.isFinite(seconds)) return undefined;
  const units = Math.max(1, Math.ceil(seconds / 30));
  return [unit(priced, 'music', units, `started 30 s of ${seconds} s`)];
}

function speechTerms(priced: Priced): PriceTerm[] | undefined {
  const { input } = priced.parameters;
  if (typeof input !== 'string') return undefined;
  const characters = codePoints(input);
  const units = Math.max(1, Math.ceil(characters / 100));
  return [unit(priced, 'speech', units, `started 100 of ${characters} characters`)];
}

function uploadTerms({ catalogue, bytes }: Priced): PriceTerm[] | undefined {
  if (bytes === undefined) return undefined;
  const times = Math.max(1, Math.ceil(bytes / (10 * 1_048_576)));
  const credits = catalogue.file.storage.creditsPerStarted10MiB;
  return [{ times, credits, for: `started 10 MiB of ${bytes} bytes` }];
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
