import { renderImage } from '../../generation/image.ts';
import { withReason } from '../../http/field-list.ts';
import { operation } from '../../http/operation.ts';
import { warnOfUnused } from '../../http/unused-directives.ts';
import { answerRender } from '../answer-render.ts';
import { imageRequest, imageResult, readImage } from './image-schemas.ts';

export const createImage = operation({
  name: 'createImage',
  method: 'POST',
  path: '/v1/images/generations',
  summary: 'A PNG of 1024 × 1024: 10 credits, 2 more when stored.',
  access: 'key',
  paid: 'image.generation',
  body: imageRequest,
  harmless: (body) => [...(body.n === 1 ? ['n'] : []), ...(body.size === '1024x1024' ? ['size'] : [])],
  answer: imageResult,
  asked: ({ model, prompt }) => ({ model, message: prompt.text }),
  check: ({ context, body }) => void context.catalogue.chosen(body.model, 'image'),
  async handle(call) {
    const { body, context } = call;
    const model = context.catalogue.chosen(body.model, 'image');
    const order = readImage(body);
    warnOfUnused(call, 'prompt', order.directives);
    const paid = await renderImage(context, model, order, call);
    // What is kept has an address, and bytes beside it would say the same thing twice.
    if (body.store && body.response_format === 'b64_json') call.warn(withReason('response_format', 'store'));
    const asUrl = body.store || body.response_format === 'url';
    return answerRender(context, paid, { asUrl, more: {} });
  },
});
