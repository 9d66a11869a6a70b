import type { PriceLine } from './catalogue.ts';
import type { Engine, Resolution } from './catalogue-file.ts';

export const ASPECTS = ['16:9', '9:16', '1:1', '4:3', '3:4', '21:9'] as const;

export type Aspect = (typeof ASPECTS)[number];

const SHORT_SIDE: Record<Resolution, number> = {
  '480p': 480,
  '720p': 720,
  '768p': 768,
  '1080p': 1080,
  '2k': 1440,
};

/** In pixels. The long side follows from the aspect, rounded to an even number. */
export function frameSize(resolution: Resolution, aspect: Aspect): { width: number; height: number } {
  const short = SHORT_SIDE[resolution];
  const [across = 1, down = 1] = aspect.split(':').map(Number);
  const long = 2 * Math.round((short * Math.max(across, down)) / Math.min(across, down) / 2);
  return across >= down ? { width: long, height: short } : { width: short, height: long };
}

export function ownClipLines(credits: number, { duration, model }: { duration: string; model: string }): PriceLine[] {
  return [{ times: 1, credits, for: `clip of ${duration} by ${model}` }];
}

export interface PricedClip {
  seconds: number;
  resolution: Resolution;
  audio: boolean;
  /** Pictures that the engine uses, the starting image first. */
  pictures: number;
}

/** Rate times seconds, or the price of a clip, with surcharges. */
export function clipLines(engine: Engine, clip: PricedClip): PriceLine[] {
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

function clipRate({ rates }: Engine, { resolution, audio }: PricedClip): Engine['rates'][number] | undefined {
  return rates.find((each) => (each.resolution ?? resolution) === resolution && (each.audio ?? audio) === audio);
}
