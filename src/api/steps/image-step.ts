import type { StepKind } from '../../flows/step-kind.ts';
import { renderImage } from '../../generation/image.ts';
import { BodyReader } from '../body-reader.ts';
import { imageRequest, readImage } from '../images/image-schemas.ts';
import { checkBody, type StepParts } from './step-parts.ts';

/** Renders a picture. */
export function imageStep(parts: StepParts): StepKind {
  const reader = new BodyReader(imageRequest);
  const chosen = (model: string | undefined) => parts.catalogue.chosen(model, 'image');
  return {
    output: 'image',
    path: '/v1/images/generations',
    check: (params, isOpen) => checkBody(reader, { params, isOpen }, ({ model }) => chosen(model)),
    async order(params, payer) {
      const body = reader.read(params);
      return renderImage(parts, chosen(body.model), readImage(body), payer);
    },
  };
}
