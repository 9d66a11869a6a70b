import type { StepKind } from '../../flows/step-kind.ts';
import { renderImage } from '../../generation/image.ts';
import type { StepContext } from '../../http/context.ts';
import { createImage } from '../images/create-image.ts';
import { imageRequest, readImage } from '../images/image-schemas.ts';
import { operationStep } from './operation-step.ts';

/** Renders a picture. */
export function imageStep(context: StepContext): StepKind {
  const chosen = (model: string | undefined) => context.catalogue.chosen(model, 'image');
  return operationStep(context, {
    output: 'image',
    operation: createImage,
    schema: imageRequest,
    check: ({ model }) => chosen(model),
    asked: ({ model, prompt }) => ({ model, message: prompt.text }),
    order: (body, payer) => renderImage(context, chosen(body.model), readImage(body), payer),
  });
}
