import { z } from 'zod';
import { mergeDirectives } from '../../faults/directives.ts';
import { directedText, optional, withDefault } from '../../http/field-schemas.ts';
import { unixTime, usage } from '../usage-schema.ts';

export const imageRequest = z.object({
  prompt: directedText({ min: 1, max: 2400, isDrawn: true }).describe('what to show, 1 to 2,400 characters.'),
  model: optional(z.string()).describe('svc-image-one, the default.'),
  negative_prompt: optional(directedText({ max: 2400 })).describe('what to steer away from, up to 2,400 characters.'),
  cfg_scale: optional(z.number().min(1).max(20)).describe('a number from 1 to 20; leave it out for the default.'),
  store: withDefault(z.boolean(), false).describe('true to keep the picture under a permanent URL (2 credits more).'),
  response_format: optional(z.enum(['b64_json', 'url'])).describe('b64_json (the default) or url.'),
});

export const imageResult = z.strictObject({
  created: unixTime,
  model: z.string(),
  data: z.array(z.union([z.strictObject({ b64_json: z.string() }), z.strictObject({ url: z.string() })])),
  usage,
});

/** What a body comes to: texts without their directives, and all of these. */
export function readImage(body: z.output<typeof imageRequest>) {
  const { prompt, negative_prompt: negative, cfg_scale: cfgScale, store } = body;
  return {
    prompt: prompt.text,
    negativePrompt: negative?.text,
    cfgScale,
    store,
    directives: mergeDirectives(prompt.directives, negative?.directives ?? {}),
  };
}
