import type { StepKind } from '../../flows/step-kind.ts';
import { renderImage } from '../../generation/image.ts';
import type { StepLend } from '../../http/context.ts';
import { createImage } from '../images/create-image.ts';
import { imageRequest, readImage } from '../images/image-schemas.ts';
import { operationStep } from './operation-step.ts';

/** Renders a picture. */
export function imageStep(lend: StepLend): StepKind {
  const parts = lend(['catalogue', 'processor', 'pipeline']);
  const chosen = (model: string | undefined) => parts.catalogue.chosen(model, 'image');
  return operationStep(lend, {
    output: 'image',
    operation: createImage,
    schema: imageRequest,
    check: ({ model }) => chosen(model),
    asked: ({ model, prompt }) => ({ model, message: prompt.text }),
    order: (body, payer) => renderImage(parts, chosen(body.model), readImage(body), payer),
  });
}
