import type { StepKind } from '../../flows/step-kind.ts';
import { renderSpeech } from '../../generation/speech.ts';
import type { StepLend } from '../../http/context.ts';
import { createSpeech } from '../audio/create-speech.ts';
import { readSpeech, speechRequest } from '../audio/speech-schema.ts';
import { operationStep } from './operation-step.ts';

/** Speaks a text. */
export function speechStep(lend: StepLend): StepKind {
  const parts = lend(['catalogue', 'processor', 'pipeline']);
  const chosen = (model: string | undefined) => parts.catalogue.chosen(model, 'speech');
  return operationStep(lend, {
    output: 'audio',
    operation: createSpeech,
    schema: speechRequest,
    check: ({ model }) => chosen(model),
    asked: ({ model, input }) => ({ model, message: input.text }),
    order: (body, payer) => renderSpeech(parts, chosen(body.model), readSpeech(body), payer),
  });
}
