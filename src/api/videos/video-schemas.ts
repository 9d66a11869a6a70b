import { z } from 'zod';
import { RESOLUTIONS } from '../../catalogue/catalogue-file.ts';
import { ASPECTS } from '../../catalogue/frame-size.ts';
import { directedText, optional, text, whole, withDefault } from '../../http/field-schemas.ts';
import { unixTime, usage } from '../usage-schema.ts';

const picture = z.string().min(1);

/** Both forms: fields of form 2 alone make it a job. */
export const videoRequest = z.object({
  prompt: optional(directedText({ min: 1 })).describe('the scene; may mention a saved character as @handle.'),
  model: optional(z.string()).describe('an engine id of GET /v1/models; svc-motion-one is the default.'),
  duration: optional(z.enum(['5s', '10s'])).describe('5s (the default) or 10s, for svc-motion-one.'),
  store: withDefault(z.boolean(), false).describe('true to keep the clip under a permanent URL (2 credits more).'),
  seconds: optional(z.int()).describe("a whole number of seconds within the engine's range."),
  resolution: optional(z.enum(RESOLUTIONS)).describe('480p, 720p, 768p, 1080p or 2k.'),
  aspect: optional(z.enum(ASPECTS)).describe('16:9 (the default), 9:16, 1:1, 4:3, 3:4 or 21:9.'),
  shot: optional(text({ max: 64 })).describe('a text of at most 64 characters: the camera move.'),
  lighting: optional(text({ max: 64 })).describe('a text of at most 64 characters.'),
  elements: optional(z.array(z.string())).describe('an array of ids or handles of saved elements.'),
  audio: optional(z.boolean()).describe('true or false, where the engine leaves a choice.'),
  reference: optional(picture).describe('the URL or data URL of the first reference picture.'),
  references: optional(z.array(picture)).describe('an array of URLs or data URLs of reference pictures.'),
  end_reference: optional(picture).describe('the URL or data URL of the last picture.'),
  seed: optional(whole(0, 4_294_967_295)).describe('a whole number from 0 to 4294967295.'),
  negative_prompt: optional(directedText()).describe('a text: what to steer away from.'),
});

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

/** Whether a request carries any of form 2's own fields. */
export function hasFormTwoFields(body: VideoBody): boolean {
  return FORM_TWO.some((field) => body[field] !== undefined);
}

/** The synchronous answer. */
export const videoResult = z.strictObject({
  created: unixTime,
  model: z.string(),
  data: z.array(
    z.union([
      z.strictObject({ b64_json: z.string(), content_type: z.string() }),
      z.strictObject({ url: z.string(), content_type: z.string() }),
    ]),
  ),
  usage,
});

/** A job: its parameters stand beside these. */
export const videoJob = z.looseObject({
  id: z.string(),
  object: z.literal('video.generation'),
  status: z.enum(['queued', 'processing', 'succeeded', 'failed']),
  model: z.string(),
  created: unixTime,
  credits: z.int(),
  completed: unixTime.optional(),
  result_url: z.string().optional(),
  content_type: z.string().optional(),
  library_id: z.string().optional(),
  error: z.strictObject({ code: z.string(), message: z.string() }).optional(),
});
