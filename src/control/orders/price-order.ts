import { counted } from '../../base/text.ts';
import {
  type Catalogue,
  chatLines,
  imageLines,
  keepLines,
  type PriceLine,
  speechLines,
  takeLines,
  transcriptionLines,
  uploadLines,
} from '../../engine/catalogue/catalogue.ts';
import { clipLines, ownClipLines, type PricedClip } from '../../engine/catalogue/clips.ts';
import type { PaidOperation } from '../../engine/faults/paid-work.ts';
import { planClip } from '../../engine/generation/clip-plan.ts';
import { type ChatBody, readChat } from '../../service/api/chat/chat-schemas.ts';
import { chosenForm, clipWishes } from '../../service/api/videos/video-order.ts';
import type { VideoBody } from '../../service/api/videos/video-schemas.ts';
import { codePoints } from '../../service/http/input.ts';

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
export const TERMS: Record<PaidOperation, (charge: PricedCharge) => PriceLine[] | undefined> = {
  'chat.completion': ({ catalogue, model, body }) => {
    if (body === undefined) return undefined;
    const { messages } = readChat(body as ChatBody);
    const images = messages.reduce((sum, message) => sum + message.images, 0);
    return chatLines(catalogue.model(model ?? '', 'chat'), images);
  },
  'image.generation': (charge) => [...imageLines(modelOf(charge, 'image')), ...stored(charge)],
  'video.generation': clipOf,
  'music.generation': (charge) => {
    const seconds = Number(charge.parameters.seconds ?? secondsIn(charge.body));
    return Number.isFinite(seconds) ? takeLines(modelOf(charge, 'music'), seconds) : undefined;
  },
  'audio.speech': (charge) => {
    const { input } = charge.parameters;
    return typeof input === 'string' ? speechLines(modelOf(charge, 'speech'), codePoints(input)) : undefined;
  },
  'audio.transcription': (charge) => transcriptionLines(modelOf(charge, 'transcription')),
  'storage.object': ({ catalogue, bytes }) =>
    bytes === undefined ? undefined : uploadLines(catalogue.file.storage.creditsPerStarted10MiB, bytes),
};

/** The terms of a charge; none where what decides them is not on record, or is none of this catalogue. */
export function termsOf(operation: PaidOperation, charge: PricedCharge): PriceLine[] {
  try {
    return TERMS[operation](charge) ?? [];
  } catch {
    return [];
  }
}

/** The sum, written out. */
export function inWords(terms: readonly PriceLine[], sum: number): string {
  const parts = terms.map((term) => `${term.times} × ${term.credits} (${term.for})`);
  return parts.length === 0 ? counted(sum, 'credit') : `${parts.join(' + ')} = ${sum}`;
}

type OwnKind = 'image' | 'speech' | 'transcription' | 'music';

function modelOf({ catalogue, model }: PricedCharge, kind: OwnKind) {
  return catalogue.model(model ?? catalogue.standard(kind), kind);
}

function stored({ catalogue, parameters }: PricedCharge): PriceLine[] {
  return keepLines(catalogue, parameters.store === true);
}

function clipOf(charge: PricedCharge): PriceLine[] {
  const { catalogue, parameters, body, figures = 0 } = charge;
  const model = charge.model ?? '';
  const { duration } = parameters;
  if (duration === '5s' || duration === '10s') {
    return [...ownClipLines(catalogue.file.ownClips[duration], { duration, model }), ...stored(charge)];
  }
  const clip = body === undefined ? recordedClip(parameters) : plannedClip(body, catalogue);
  const pictures = clip.pictures + figures;
  return [...clipLines(catalogue.engine(model), { ...clip, pictures }), ...stored(charge)];
}

function plannedClip(body: unknown, catalogue: Catalogue): PricedClip {
  const { engine } = chosenForm(catalogue, body as VideoBody);
  const plan = planClip(engine, clipWishes(body as VideoBody));
  return { ...plan, pictures: plan.pictures.length };
}

function recordedClip(parameters: Record<string, unknown>): PricedClip {
  const { reference, references } = parameters;
  const others = Array.isArray(references) ? references.length : 0;
  return { ...(parameters as never as PricedClip), pictures: (reference ? 1 : 0) + others };
}

function secondsIn(body: unknown): unknown {
  return typeof body === 'object' && body !== null ? Reflect.get(body, 'seconds') : undefined;
}
