import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { invalid } from '../../base/errors.ts';
import { readPlainFile } from '../../base/files/plain-file.ts';
import { packageDataFolder } from '../../base/package/package-folder.ts';
import { systemReason } from '../../base/system-error.ts';

export type ModelKind = (typeof MODEL_KINDS)[number];

const credits = z.int().positive();

export const MODEL_KINDS = ['chat', 'image', 'speech', 'transcription', 'music', 'video'] as const;

const model = z.strictObject({
  id: z.string().min(1),
  kind: z.enum(MODEL_KINDS).exclude(['video']),
  /** Credits of one unit: a completion, an image, 100 characters, a request, 30 seconds. */
  credits,
  /** Credits of each picture attached to a chat. */
  surcharge: credits.optional(),
  pricing: z.string().includes('credit'),
});

const resolution = z.enum(['480p', '720p', '768p', '1080p', '2k']);

const rate = z.strictObject({
  creditsPerSecond: credits.optional(),
  creditsPerClip: credits.optional(),
  resolution: resolution.optional(),
  audio: z.boolean().optional(),
});

const engineFields = z.strictObject({
  id: z.string().min(1),
  label: z.string().min(1),
  family: z.int().positive().nullable(),
  seconds: z.union([
    z.strictObject({ min: z.int().positive(), max: z.int().max(30) }),
    z.strictObject({ oneOf: z.array(z.int().positive().max(30)).min(1) }),
  ]),
  resolutions: z.array(resolution).min(1),
  resolutionText: z.string().min(1),
  /** native: always; choice: if the request asks for it; none: never. */
  audio: z.enum(['native', 'choice', 'none']),
  images: z.strictObject({
    start: z.boolean(),
    references: z.int().nonnegative(),
    last: z.boolean(),
  }),
  voiceSample: z.boolean(),
  seed: z.boolean(),
  negativePrompt: z.boolean(),
  rates: z.array(rate).min(1),
  surcharge: z.strictObject({ per: z.enum(['reference', 'starting image']), credits }).optional(),
});

export const engine = engineFields.refine(hasEveryRate, {
  path: ['rates'],
  error: 'every resolution and soundtrack needs a rate that gives creditsPerSecond or creditsPerClip',
});

/** A missing rate would make a clip free. */
function hasEveryRate({ resolutions, audio, rates }: z.infer<typeof engineFields>): boolean {
  const soundtracks = audio === 'choice' ? [true, false] : [audio === 'native'];
  return resolutions.every((size) =>
    soundtracks.every((sound) => {
      const found = rates.find((each) => (each.resolution ?? size) === size && (each.audio ?? sound) === sound);
      return (found?.creditsPerClip ?? found?.creditsPerSecond) !== undefined;
    }),
  );
}

/** Users can replace `catalogue.json` with one of the same shape. */
export const catalogueFile = z.strictObject({
  models: z.array(model).min(1),
  storage: z.strictObject({ creditsPerStarted10MiB: credits }),
  ownClips: z.strictObject({ '5s': credits, '10s': credits }),
  engines: z.array(engine).min(1),
});

export type CatalogueFile = z.infer<typeof catalogueFile>;

export type Model = z.infer<typeof model>;

export type Engine = z.infer<typeof engine>;

export type Resolution = z.infer<typeof resolution>;

export const RESOLUTIONS = resolution.options;

export function engineTerms(engine: Engine, ownClips: CatalogueFile['ownClips']): string {
  const parts = [
    ...engine.rates.map(rateText),
    lengthText(engine.seconds),
    engine.resolutionText,
    ...(engine.surcharge ? [`${engine.surcharge.credits} credits per ${surchargeText(engine.surcharge.per)}`] : []),
  ].join(', ');
  return engine.family === null
    ? `${parts}; as a synchronous 720p clip ${ownClips['5s']} credits for 5s, ${ownClips['10s']} credits for 10s`
    : `${parts} (engine ${engine.label})`;
}

function rateText(rate: Engine['rates'][number]): string {
  const price =
    rate.creditsPerClip === undefined
      ? `${rate.creditsPerSecond} credits per second`
      : `${rate.creditsPerClip} credits per clip`;
  const soundtrack = rate.audio === undefined ? [] : [rate.audio ? 'with sound' : 'without sound'];
  const terms = [...(rate.resolution ? [`at ${rate.resolution}`] : []), ...soundtrack];
  return [price, ...terms].join(' ');
}

function lengthText(seconds: Engine['seconds']): string {
  if ('min' in seconds) return `${seconds.min}-${seconds.max} s`;
  const others = seconds.oneOf.slice(0, -1).join(', ');
  const last = `${seconds.oneOf.at(-1)} s`;
  return others ? `${others} or ${last}` : last;
}

function surchargeText(per: 'reference' | 'starting image'): string {
  return per === 'reference' ? 'reference image' : 'starting image';
}

/**
 * The shipped file, unless the user's fixtures folder contains one. Throws `invalid_request` with the file and the
 * field.
 */
export function readCatalogueFile(fixtures?: string): CatalogueFile {
  const own = fixtures && path.join(fixtures, 'catalogue.json');
  if (own && existsSync(own)) return checked(own);
  // A test checks its form, so that a start need not. A link may lead to the package, unlike to a file of the user.
  const shipped = path.join(packageDataFolder(), 'catalogue.json');
  return parse(shipped, (file) => readFileSync(file, 'utf8')) as CatalogueFile;
}

function checked(file: string): CatalogueFile {
  const parsed = catalogueFile.safeParse(parse(file));
  if (parsed.success) return parsed.data;
  throw invalid(null, `${file} is not a catalogue:\n${z.prettifyError(parsed.error)}`);
}

function parse(file: string, read: (file: string) => string = readPlainFile): unknown {
  try {
    return JSON.parse(read(file));
  } catch (error) {
    const reason = systemReason(error);
    throw invalid(null, `${file} is not a catalogue: it is not valid JSON (${reason}).`);
  }
}
