import { z } from 'zod';
import type { StepKind } from '../../flows/step-kind.ts';
import { type Completion, completeChat } from '../../generation/chat.ts';
import type { Instant } from '../../generation/order.ts';
import type { StepContext } from '../../http/context.ts';
import { directedText, optional } from '../../http/field-schemas.ts';
import { chatRequest, readChat } from '../chat/chat-schemas.ts';
import { createChatCompletion } from '../chat/create-chat-completion.ts';
import { operationStep } from './operation-step.ts';

const STANDARD = 'svc-rp-plus';

const textParams = z.object({
  prompt: directedText({ min: 1 }).describe('a text: what to write.'),
  model: optional(z.string()).describe('svc-rp-plus (the default) or svc-rp-mini.'),
});

/** Writes a text: a chat of one message. */
export function textStep(context: StepContext): StepKind {
  return operationStep(context, {
    output: 'text',
    operation: createChatCompletion,
    schema: textParams,
    check: ({ model = STANDARD }) => context.catalogue.model(model, 'chat'),
    asked: ({ model = STANDARD, prompt }) => ({ model, message: prompt.text, turn: 1 }),
    order({ prompt, model = STANDARD }, payer) {
      const messages = [{ role: 'user' as const, content: prompt.text }];
      const { directives } = prompt;
      const request = { ...readChat(chatRequest.parse({ model, messages })), directives };
      return completeChat(context, request, {
        ...payer,
        onStarted: (tx, { charges, instant }) =>
          payer.onStarted(tx, { charges, instant: instant && asText(instant as Instant<Completion>) }),
      });
    },
  });
}

function asText(instant: Instant<Completion>): Instant<string> {
  if ('failure' in instant) return instant;
  return { result: instant.result.written.content, readyAt: instant.readyAt };
}
