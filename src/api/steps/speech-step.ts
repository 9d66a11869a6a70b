import type { StepKind } from '../../flows/step-kind.ts';
import { renderSpeech } from '../../generation/speech.ts';
import { readSpeech, speechRequest } from '../audio/speech-schema.ts';
import { BodyReader } from '../body-reader.ts';
import { checkBody, type StepParts } from './step-parts.ts';

/** Speaks a text. */
export function speechStep(parts: StepParts): StepKind {
  const reader = new BodyReader(speechRequest);
  const chosen = (model: string | undefined) => parts.catalogue.chosen(model, 'speech');
  return {
    output: 'audio',
    path: '/v1/audio/speech',
    check: (params, isOpen) => checkBody(reader, { params, isOpen }, ({ model }) => chosen(model)),
    async order(params, payer) {
      const body = reader.read(params);
      return renderSpeech(parts, chosen(body.model), readSpeech(body), payer);
    },
  };
}
