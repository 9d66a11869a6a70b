import type { StepKind } from '../../flows/step-kind.ts';
import { renderSpeech } from '../../generation/speech.ts';
import type { StepContext } from '../../http/context.ts';
import { createSpeech } from '../audio/create-speech.ts';
import { readSpeech, speechRequest } from '../audio/speech-schema.ts';
import { operationStep } from './operation-step.ts';

/** Speaks a text. */
export function speechStep(context: StepContext): StepKind {
  const chosen = (model: string | undefined) => context.catalogue.chosen(model, 'speech');
  return operationStep(context, {
    output: 'audio',
    operation: createSpeech,
    schema: speechRequest,
    check: ({ model }) => chosen(model),
    asked: ({ model, input }) => ({ model, message: input.text }),
    order: (body, payer) => renderSpeech(context, chosen(body.model), readSpeech(body), payer),
  });
}
