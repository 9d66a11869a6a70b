import { z } from 'zod';
import { unixSeconds } from '../../base/clock/clock.ts';
import { emptyTextAsMissing, optional, unixTimeSchema, withDefault } from '../../base/schemas.ts';
import { type Catalogue, imagePriceLines, renderStoragePriceLines } from '../../engine/catalogue/catalogue.ts';
import { mergeDirectives } from '../../engine/faults/directives.ts';
import { deriveSeed, orderAndAwaitRender, type RenderPurchase } from '../../engine/generation/place-order.ts';
import { textWithDirectives, warnOfUnusedDirectives } from '../http/directed-text.ts';
import { packFieldWithReason } from '../http/field-list.ts';
import { creditUsageSchema, modelIdSchema } from '../http/input.ts';
import { defineOperation } from '../http/operation.ts';
import { JsonWithBase64Reply } from '../http/send.ts';

export const imageRequestSchema = z.object({
  prompt: textWithDirectives({ min: 1, max: 2400 }).describe('a description of the image, 1 to 2,400 characters.'),
  model: emptyTextAsMissing(modelIdSchema('image')).describe('svc-image-one, the default.'),
  negative_prompt: optional(textWithDirectives({ max: 2400, choices: { long: 'C107' } })).describe(
    'a description of what to avoid, at most 2,400 characters.',
  ),
  cfg_scale: optional(z.number().min(1).max(20)).describe('a number from 1 to 20; leave it out for the default.'),
  store: withDefault(z.boolean(), false).describe('true to keep the image under a permanent URL (2 credits more).'),
  response_format: optional(z.enum(['b64_json', 'url'])).describe('b64_json or url (default: b64_json).'),
});

const imageResult = z.strictObject({
  created: unixTimeSchema,
  model: z.string(),
  data: z.array(z.xor([z.strictObject({ b64_json: z.string() }), z.strictObject({ url: z.string() })])),
  usage: creditUsageSchema,
});

export function toImageSettings(body: z.output<typeof imageRequestSchema>) {
  const { prompt, negative_prompt: negative, cfg_scale: cfgScale, store } = body;
  return {
    prompt: prompt.text,
    negativePrompt: negative?.text,
    cfgScale,
    store,
    directives: negative ? mergeDirectives(prompt.directives, negative.directives) : prompt.directives,
  };
}

export const createImage = defineOperation({
  name: 'createImage',
  method: 'POST',
  path: '/v1/images/generations',
  summary: 'Generates a PNG of 1024 × 1024 pixels: 10 credits, 2 more if it is stored.',
  access: 'key',
  paid: 'image.generation',
  body: imageRequestSchema,
  neutral: {
    ...{ size: ['1024x1024', 'auto'], quality: ['standard', 'auto'], style: ['vivid'], background: ['auto'] },
    ...{ moderation: ['auto'], output_format: ['png'], output_compression: [100], partial_images: [0] },
  },
  answer: imageResult,
  matchValues: ({ model, prompt }) => ({ model, message: prompt.text }),
  checkBeforeFaults: ({ context, body }) => void context.generation.catalogue.chosen(body.model, 'image'),
  async handle(call) {
    const { body, context } = call;
    const model = context.generation.catalogue.chosen(body.model, 'image');
    const settings = toImageSettings(body);
    warnOfUnusedDirectives(call, 'prompt', settings.directives);
    const { result, usage: spent } = await orderAndAwaitRender(
      context.generation,
      imagePurchase(context.generation.catalogue, model, settings),
      call,
    );
    const { job, file, url } = result;
    const answer = <Item>(item: Item) => ({ created: unixSeconds(job.created), model, data: [item], usage: spent });
    // A stored picture is returned as a permanent URL, whatever `response_format` says.
    if (body.store && body.response_format === 'b64_json') call.warn(packFieldWithReason('response_format', 'store'));
    if (body.store || body.response_format === 'url') return answer({ url });
    const picture = await context.storage.files.base64(file, (name) => context.storage.served.read(name));
    return new JsonWithBase64Reply(answer({ b64_json: '' }), picture);
  },
});

type ImageSettings = ReturnType<typeof toImageSettings>;

export function imagePurchase(catalogue: Catalogue, model: string, settings: ImageSettings): RenderPurchase {
  const { prompt, negativePrompt, cfgScale, store, directives } = settings;
  const seed = deriveSeed(model, prompt, negativePrompt, cfgScale);
  const render = {
    parameters: { prompt, negative_prompt: negativePrompt, cfg_scale: cfgScale, seed, store },
    request: { kind: 'image' as const, model, prompt, negativePrompt, cfgScale, seed },
    seed,
  };
  return {
    operation: 'image.generation',
    medium: 'image',
    model,
    lines: [...imagePriceLines(catalogue.model(model, 'image')), ...renderStoragePriceLines(catalogue, store)],
    store,
    renders: [render],
    directives,
  };
}
