import { z } from 'zod';
import { invalid } from '../../../base/errors.ts';
import { ASPECTS } from '../../../engine/catalogue/catalogue.ts';
import { type Engine, RESOLUTIONS } from '../../../engine/catalogue/catalogue-file.ts';
import { JOB_STATUSES } from '../../../engine/jobs/job.ts';
import { directedText, unjudgedText } from '../../http/directed-text.ts';
import { optional, optionalText, text, withDefault } from '../../http/input.ts';
import { choiceIn, describeValue, refusals } from '../../http/issue-text.ts';
import { modelOf, unixTime, usage } from '../usage-schema.ts';

/** A picture is validated only if the engine uses one. */
const picture = z.string();

/** In any case. */
const resolution = z
  .string()
  .toLowerCase()
  .pipe(z.enum(RESOLUTIONS))
  .meta({ enum: RESOLUTIONS })
  .register(refusals, { choice: 'C090' });

const DURATIONS = ['5s', '10s'] as const;
export type OwnDuration = (typeof DURATIONS)[number];
const MOST_SEED = 4_294_967_295;

/** An engine ignores unknown values of fields that it does not know. `requireValues` checks the others [I219]. */
const duration = z.string().meta({ enum: DURATIONS });
const seed = z
  .number()
  .meta({ type: 'integer', minimum: 0, maximum: MOST_SEED })
  .register(refusals, { choice: 'C095' });
/** More than any engine uses. Beyond an engine's own number items are dropped; beyond this one they are rejected. */
const MOST_ITEMS = 100;

/** In characters, as the prompt of a song. */
const LONGEST_TEXT = 10_000;
const LOOK = { max: 64, choices: { long: 'C093' } } as const;

/** The fields of form 2 make it a job. Only a request with a picture can omit the prompt. */
export const videoRequest = z
  .object({
    prompt: optional(directedText({ min: 1, max: LONGEST_TEXT, choices: { long: 'C107' } })).describe(
      'a description of the scene, 1 to 10,000 characters; may mention elements as @handle.',
    ),
    model: optionalText(modelOf('video')).describe(
      'the id of an engine, as in GET /v1/models (default: svc-motion-one).',
    ),
    duration: optional(duration).describe('5s or 10s, for svc-motion-one (default: 5s).'),
    store: withDefault(z.boolean(), false).describe('true to keep the clip under a permanent URL (2 credits more).'),
    seconds: optional(z.int()).describe("a whole number of seconds within the engine's range."),
    resolution: optional(resolution).describe('480p, 720p, 768p, 1080p or 2k.'),
    aspect: optional(z.enum(ASPECTS).register(refusals, { choice: 'C091' })).describe(
      '16:9, 9:16, 1:1, 4:3, 3:4 or 21:9 (default: 16:9).',
    ),
    shot: optional(text(LOOK)).describe('the camera move, at most 64 characters.'),
    lighting: optional(text(LOOK)).describe('the lighting, at most 64 characters.'),
    elements: optional(z.array(z.string()).max(MOST_ITEMS)).describe('an array of ids or handles of elements.'),
    audio: optional(z.boolean()).describe('true for a clip with sound, if the engine offers the choice.'),
    reference: optionalText(picture).describe('the URL or data URL of the first reference picture.'),
    references: optional(z.array(picture).max(MOST_ITEMS)).describe(
      'an array of URLs or data URLs of reference pictures.',
    ),
    end_reference: optionalText(picture).describe('the URL or data URL of the last picture.'),
    seed: optional(seed).describe('a whole number from 0 to 4294967295.'),
    negative_prompt: optional(unjudgedText({ max: LONGEST_TEXT })).describe(
      'a description of what to avoid, at most 10,000 characters.',
    ),
  })
  .meta({ required: ['prompt'] });

export type VideoBody = z.output<typeof videoRequest>;

const FORM_TWO = [
  'seconds',
  'resolution',
  'aspect',
  'shot',
  'lighting',
  'elements',
  'audio',
  'reference',
  'references',
  'end_reference',
  'seed',
  'negative_prompt',
] as const satisfies readonly (keyof VideoBody)[];

/** An empty list counts as absent. */
export function hasFormTwoFields(body: VideoBody): boolean {
  return FORM_TWO.some((field) => {
    const value = body[field];
    return Array.isArray(value) ? value.length > 0 : value !== undefined;
  });
}

const NEGATIVE = text({ max: LONGEST_TEXT, choices: { long: 'C107' } });

/** Throws `invalid_request` for an invalid value of a field that the engine knows. */
export function requireValues(engine: Engine, body: VideoBody): void {
  const isOwn = engine.family === null;
  if (isOwn && body.duration !== undefined && !isDuration(body.duration)) {
    throw invalid('duration', `duration must be "5s" or "10s", not ${describeValue(body.duration)}.`);
  }
  const { seed, negative_prompt: negative } = body;
  if ((engine.negativePrompt || isOwn) && negative) {
    const [fault] = NEGATIVE.safeParse(negative.text).error?.issues ?? [];
    if (fault) throw invalid('negative_prompt', `negative_prompt ${fault.message}`, choiceIn(fault));
  }
  if (!engine.seed || seed === undefined || (Number.isInteger(seed) && seed >= 0 && seed <= MOST_SEED)) return;
  throw invalid('seed', `seed must be a whole number from 0 to ${MOST_SEED}, not ${describeValue(seed)}.`, 'C095');
}

export function isDuration(text: string): text is OwnDuration {
  return DURATIONS.some((duration) => duration === text);
}

export const videoResult = z.strictObject({
  created: unixTime,
  model: z.string(),
  data: z.array(
    z.xor([
      z.strictObject({ b64_json: z.string(), content_type: z.string() }),
      z.strictObject({ url: z.string(), content_type: z.string() }),
    ]),
  ),
  usage,
});

/** These fields, and the job's parameters. */
export const videoJob = z.looseObject({
  id: z.string(),
  object: z.literal('video.generation'),
  status: z.enum(JOB_STATUSES),
  model: z.string(),
  created: unixTime,
  credits: z.int(),
  completed: unixTime.optional(),
  result_url: z.string().optional(),
  content_type: z.string().optional(),
  library_id: z.string().optional(),
  error: z.strictObject({ code: z.string(), message: z.string() }).optional(),
});
