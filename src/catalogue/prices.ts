import type { Engine, Model, Resolution } from './catalogue-file.ts';

/** 10 MB of the price list, in bytes. */
const TEN_MB = 10 * 1_048_576;

/** The number of started units, at least one. */
function started(amount: number, unit: number): number {
  return Math.max(1, Math.ceil(amount / unit));
}

/** Credits of one chat completion. */
export function chatPrice(model: Model, images: number): number {
  return model.credits + images * (model.surcharge ?? 0);
}

/** Credits of speaking a text of so many code points. */
export function speechPrice(model: Model, characters: number): number {
  return model.credits * started(characters, 100);
}

/** Credits of one take of a song of the requested length. */
export function takePrice(model: Model, seconds: number): number {
  return model.credits * started(seconds, 30);
}

/** Credits of keeping a file of so many bytes, once. */
export function storagePrice(creditsPerStarted10MiB: number, bytes: number): number {
  return creditsPerStarted10MiB * started(bytes, TEN_MB);
}

/** What decides the price of a clip. */
export interface ClipTerms {
  seconds: number;
  resolution: Resolution;
  audio: boolean;
  /** Pictures that the engine uses: the starting image is the first of them. */
  pictures: number;
}

/** Credits of one clip: rate times seconds, or the price of a clip, and the surcharges. */
export function clipPrice(engine: Engine, terms: ClipTerms): number {
  const rate = clipRate(engine, terms);
  const base = rate?.creditsPerClip ?? (rate?.creditsPerSecond ?? 0) * terms.seconds;
  return base + surcharge(engine, terms.pictures);
}

/** The rate that holds for a clip. */
export function clipRate(
  { rates }: Engine,
  { resolution, audio }: Pick<ClipTerms, 'resolution' | 'audio'>,
): Engine['rates'][number] | undefined {
  return rates.find((each) => (each.resolution ?? resolution) === resolution && (each.audio ?? audio) === audio);
}

function surcharge(engine: Engine, pictures: number): number {
  if (!engine.surcharge) return 0;
  const charged = engine.surcharge.per === 'reference' ? pictures : Math.min(1, pictures);
  return engine.surcharge.credits * charged;
}
