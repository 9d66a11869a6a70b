import { z } from 'zod';
import { unixSeconds } from '../../clock/clock.ts';
import { mergeDirectives } from '../../faults/directives.ts';
import { renderImage } from '../../generation/image.ts';
import { directedText, optional, withDefault } from '../../http/field-schemas.ts';
import { warnOfIdle } from '../../http/idle-directives.ts';
import { operation } from '../../http/operation.ts';
import { readBase64 } from '../read-base64.ts';
import { unixTime, usage } from '../usage-schema.ts';

const imageRequest = z.object({
  prompt: directedText({ min: 1, max: 2400 }).describe('what to show, 1 to 2,400 characters.'),
  model: optional(z.string()).describe('svc-image-one, the default.'),
  negative_prompt: optional(directedText()).describe('a text: what to steer away from.'),
  cfg_scale: optional(z.number().min(1).max(20)).describe(
    'a number from 1 to 20; leave it out for the default.',
  ),
  store: withDefault(z.boolean(), false).describe(
    'true to keep the picture under a permanent URL (2 credits more).',
  ),
  response_format: withDefault(z.enum(['b64_json', 'url']), 'b64_json').describe(
    'b64_json (the default) or url.',
  ),
});

const imageResult = z.strictObject({
  created: unixTime,
  model: z.string(),
  data: z.array(
    z.union([z.strictObject({ b64_json: z.string() }), z.strictObject({ url: z.string() })]),
  ),
  usage,
});

export const createImage = operation({
  name: 'createImage',
  method: 'POST',
  path: '/v1/images/generations',
  summary: 'A PNG of 1024 × 1024: 10 credits, 2 more when stored.',
  access: 'key',
  paid: 'image.generation',
  body: imageRequest,
  harmless: (body) => [
    ...(body.n === 1 ? ['n'] : []),
    ...(body.size === '1024x1024' ? ['size'] : []),
  ],
  answer: imageResult,
  asked: ({ model, prompt }) => ({ model, message: prompt.text }),
  check: ({ emulator, body }) => void emulator.catalogue.chosen(body.model, 'image'),
  async handle(call) {
    const { body, emulator } = call;
    const model = emulator.catalogue.chosen(body.model, 'image');
    const directives = mergeDirectives(
      body.prompt.directives,
      body.negative_prompt?.directives ?? {},
    );
    warnOfIdle(call, 'prompt', directives);
    const order = {
      prompt: body.prompt.text,
      negativePrompt: body.negative_prompt?.text,
      cfgScale: body.cfg_scale,
      store: body.store,
      directives,
    };
    const { result, usage: spent } = await renderImage(emulator, model, order, call);
    call.facts.credits = spent.credits_spent;
    call.facts.jobIds = [result.job.id];
    const asUrl = body.store || body.response_format === 'url';
    const item = asUrl
      ? { url: result.url }
      : { b64_json: await readBase64(emulator, result.file.file) };
    return { created: unixSeconds(result.job.created), model, data: [item], usage: spent };
  },
});
