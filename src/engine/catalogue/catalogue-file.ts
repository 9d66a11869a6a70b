import { readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { packageDataFolder } from '../../base/package/package-folder.ts';
import { countWithNoun } from '../../base/text.ts';

export type ModelKind = (typeof MODEL_KINDS)[number];

const credits = z.int().positive();

export const MODEL_KINDS = ['chat', 'image', 'speech', 'transcription', 'music', 'video'] as const;

const model = z.strictObject({
  id: z.string().min(1).describe('the id that requests use.'),
  kind: z.enum(MODEL_KINDS).exclude(['video']).describe('the kind of work; the first model of a kind is its default.'),
  credits: credits.describe(
    'credits per unit: a chat completion, an image, 100 characters of speech, a transcription, 30 seconds of a song.',
  ),
  surcharge: credits.optional().describe('credits for each image attached to a chat.'),
  pricing: z
    .string()
    .regex(/credit/)
    .describe('the price in words, such as "3 credits per completion", as GET /v1/models returns it.'),
});

const resolution = z.enum(['480p', '720p', '768p', '1080p', '2k']);

const rate = z.strictObject({
  creditsPerSecond: credits.optional().describe('credits per second of video.'),
  creditsPerClip: credits.optional().describe('credits per video of any length, instead of creditsPerSecond.'),
  resolution: resolution.optional().describe('the only resolution with this rate.'),
  audio: z.boolean().optional().describe('true: the rate of videos with sound; false: of videos without sound.'),
});

const engineFields = z.strictObject({
  id: z.string().min(1).describe('the id that requests use as model.'),
  label: z.string().min(1).describe('the name that its pricing text contains.'),
  family: z.int().positive().nullable().describe('a number that engines of a family share; null for svc-motion-one.'),
  seconds: z
    .union([
      z.strictObject({
        min: z.int().positive().describe('the shortest length.'),
        max: z.int().max(30).describe('the longest length, at most 30.'),
      }),
      z.strictObject({ oneOf: z.array(z.int().positive().max(30)).min(1).describe('the only lengths.') }),
    ])
    .describe('the accepted lengths in seconds: {"min": 4, "max": 30} or {"oneOf": [4, 6, 8]}.'),
  resolutions: z.array(resolution).min(1).describe('the accepted resolutions.'),
  resolutionText: z.string().min(1).describe('the resolutions in words, for its pricing text.'),
  audio: z
    .enum(['native', 'choice', 'none'])
    .describe('native: with sound; choice: if the request asks for it; none: without sound.'),
  images: z
    .strictObject({
      start: z.boolean().describe('true if it accepts a first image.'),
      references: z.int().nonnegative().describe('the largest number of reference images.'),
      last: z.boolean().describe('true if it accepts a last image.'),
    })
    .describe('the images that a request may contain.'),
  voiceSample: z.boolean().describe('true if it accepts a voice sample.'),
  seed: z.boolean().describe('true if it accepts a seed.'),
  negativePrompt: z.boolean().describe('true if it accepts a negative prompt.'),
  rates: z.array(rate).min(1).describe('the prices; the first that fits the resolution and sound applies.'),
  surcharge: z
    .strictObject({
      per: z.enum(['reference', 'starting image']).describe('the images that cost extra.'),
      credits: credits.describe('credits for each of these images.'),
    })
    .optional()
    .describe('extra credits for images in a request.'),
});

export const engineSchema = engineFields.refine(hasEveryRate, {
  path: ['rates'],
  error: 'lacks a price: each resolution, with each soundtrack, needs a rate with creditsPerSecond or creditsPerClip.',
});

/** Whether each accepted resolution has a rate with each soundtrack. Without a rate, a video would have no price. */
function hasEveryRate({ resolutions, audio, rates }: z.infer<typeof engineFields>): boolean {
  const soundtracks = audio === 'choice' ? [true, false] : [audio === 'native'];
  return resolutions.every((size) =>
    soundtracks.every((sound) => {
      const found = rates.find((each) => (each.resolution ?? size) === size && (each.audio ?? sound) === sound);
      return (found?.creditsPerClip ?? found?.creditsPerSecond) !== undefined;
    }),
  );
}

export const catalogueFileSchema = z.strictObject({
  $schema: z.string().optional().describe('the address of this schema, for editors.'),
  models: z.array(model).min(1).describe('the models for all kinds of work except video.'),
  storage: z
    .strictObject({ creditsPerStarted10MiB: credits.describe('credits for each started 10 MiB.') })
    .describe('the price of storage.'),
  ownClips: z
    .strictObject({
      '5s': credits.describe('credits for 5 seconds.'),
      '10s': credits.describe('credits for 10 seconds.'),
    })
    .describe('the price of the synchronous videos of svc-motion-one.'),
  engines: z.array(engineSchema).min(1).describe('the video models.'),
});

export function catalogueJsonSchema(): object {
  return { ...z.toJSONSchema(catalogueFileSchema), title: 'A catalogue.json of svc-emulator' };
}

export type CatalogueFile = z.infer<typeof catalogueFileSchema>;

export type Model = z.infer<typeof model>;

export type VideoEngine = z.infer<typeof engineSchema>;

export type Resolution = z.infer<typeof resolution>;

export const RESOLUTIONS = resolution.options;

export function describeEnginePricing(engine: VideoEngine, ownClips: CatalogueFile['ownClips']): string {
  const parts = [
    ...engine.rates.map(rateText),
    lengthText(engine.seconds),
    engine.resolutionText,
    ...(engine.surcharge
      ? [`${countWithNoun(engine.surcharge.credits, 'credit')} per ${surchargeText(engine.surcharge.per)}`]
      : []),
  ].join(', ');
  return engine.family === null
    ? `${parts}; as a synchronous 720p clip ${countWithNoun(ownClips['5s'], 'credit')} for 5s, ${countWithNoun(ownClips['10s'], 'credit')} for 10s`
    : `${parts} (engine ${engine.label})`;
}

function rateText(rate: VideoEngine['rates'][number]): string {
  const price =
    rate.creditsPerClip === undefined
      ? `${countWithNoun(rate.creditsPerSecond ?? 0, 'credit')} per second`
      : `${countWithNoun(rate.creditsPerClip, 'credit')} per clip`;
  const soundtrack = rate.audio === undefined ? [] : [rate.audio ? 'with sound' : 'without sound'];
  const terms = [...(rate.resolution ? [`at ${rate.resolution}`] : []), ...soundtrack];
  return [price, ...terms].join(' ');
}

function lengthText(seconds: VideoEngine['seconds']): string {
  if ('min' in seconds) return `${seconds.min}-${seconds.max} s`;
  const others = seconds.oneOf.slice(0, -1).join(', ');
  const last = `${seconds.oneOf.at(-1)} s`;
  return others ? `${others} or ${last}` : last;
}

function surchargeText(per: 'reference' | 'starting image'): string {
  return per === 'reference' ? 'reference image' : 'starting image';
}

/** Reads the catalogue of the package. A test validates this file, so a start skips that and is faster. */
export function readShippedCatalogueFile(): CatalogueFile {
  return JSON.parse(readFileSync(path.join(packageDataFolder(), 'catalogue.json'), 'utf8'));
}
