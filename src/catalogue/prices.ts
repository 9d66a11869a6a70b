import type { Engine, Model, Resolution } from './catalogue-file.ts';

/** 10 MB of the price list, in bytes. */
const TEN_MB = 10 * 1_048_576;

/** One part of a price: so many times so many credits, for something. */
export interface PriceTerm {
  times: number;
  credits: number;
  for: string;
}

/** Credits of all terms together. */
export function price(terms: readonly PriceTerm[]): number {
  let sum = 0;
  for (const { times, credits } of terms) sum += times * credits;
  return sum;
}

/** The number of started units, at least one. */
function started(amount: number, unit: number): number {
  return Math.max(1, Math.ceil(amount / unit));
}

type Priced = Pick<Model, 'id' | 'credits'>;

/** One chat completion; each image may cost more. */
export function chatTerms(
  { id, credits, surcharge = 0 }: Priced & Pick<Model, 'surcharge'>,
  images: number,
): PriceTerm[] {
  const reply = { times: 1, credits, for: `reply of ${id}` };
  return images === 0 ? [reply] : [reply, { times: images, credits: surcharge, for: 'image' }];
}

export function imageTerms({ id, credits }: Priced): PriceTerm[] {
  return [{ times: 1, credits, for: `picture of ${id}` }];
}

export function transcriptionTerms({ id, credits }: Priced): PriceTerm[] {
  return [{ times: 1, credits, for: `transcription of ${id}` }];
}

/** A text of so many code points, spoken. */
export function speechTerms({ id, credits }: Priced, characters: number): PriceTerm[] {
  return [{ times: started(characters, 100), credits, for: `started 100 of ${characters} characters of ${id}` }];
}

/** One take of a song of the requested length. */
export function takeTerms({ id, credits }: Priced, seconds: number): PriceTerm[] {
  return [{ times: started(seconds, 30), credits, for: `started 30 s of ${seconds} s of ${id}` }];
}

/** A file of so many bytes, kept once. */
export function uploadTerms(creditsPerStarted10MiB: number, bytes: number): PriceTerm[] {
  return [{ times: started(bytes, TEN_MB), credits: creditsPerStarted10MiB, for: `started 10 MiB of ${bytes} bytes` }];
}

/** What keeping a render adds to its one charge, where it is stored: renders stay below the first 10 MB. */
export function storeTerms(creditsPerStarted10MiB: number, isStored: boolean): PriceTerm[] {
  return isStored ? [{ times: 1, credits: creditsPerStarted10MiB, for: 'store' }] : [];
}

/** A clip of the service's own model, which has a price for each duration. */
export function ownClipTerms(credits: number, { duration, model }: { duration: string; model: string }): PriceTerm[] {
  return [{ times: 1, credits, for: `clip of ${duration} by ${model}` }];
}

/** What decides the price of a clip. */
export interface ClipTerms {
  seconds: number;
  resolution: Resolution;
  audio: boolean;
  /** Pictures that the engine uses: the starting image is the first of them. */
  pictures: number;
}

/** One clip of an engine: rate times seconds, or the price of a clip, and the surcharges. */
export function clipTerms(engine: Engine, clip: ClipTerms): PriceTerm[] {
  const { seconds, resolution, audio, pictures } = clip;
  const rate = clipRate(engine, clip);
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

/** The rate that holds for a clip. */
function clipRate({ rates }: Engine, { resolution, audio }: ClipTerms): Engine['rates'][number] | undefined {
  return rates.find((each) => (each.resolution ?? resolution) === resolution && (each.audio ?? audio) === audio);
}
