import { z } from 'zod';

const credits = z.int().positive();

export const MODEL_KINDS = ['chat', 'image', 'speech', 'transcription', 'music', 'video'] as const;

/** What a model other than a video engine is and costs. */
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

/** A rate, for a resolution and a soundtrack where it names them: the first that fits holds. */
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
  /** native: always; choice: as the request says; none: never. */
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

/** No clip is free because its catalogue forgot it. */
function hasEveryRate({ resolutions, audio, rates }: z.infer<typeof engineFields>): boolean {
  const soundtracks = audio === 'choice' ? [true, false] : [audio === 'native'];
  return resolutions.every((size) =>
    soundtracks.every((sound) => {
      const found = rates.find((each) => (each.resolution ?? size) === size && (each.audio ?? sound) === sound);
      return (found?.creditsPerClip ?? found?.creditsPerSecond) !== undefined;
    }),
  );
}

/** The shape of `catalogue.json`, which a user can replace by one of the same shape. */
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
