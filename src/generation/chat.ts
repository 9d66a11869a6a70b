import { type Catalogue, chatTerms, price } from '../catalogue/catalogue.ts';
import type { Directives } from '../faults/directives.ts';
import {
  type CompletionOrder,
  type CompletionWriter,
  countAhead,
  type WrittenCompletion,
} from './completion-writer.ts';
import { corruptReply } from './corrupt-reply.ts';
import { type InstantParts, instantWork } from './instant-work.ts';
import type { Paid, Payer } from './order.ts';
import type { Pipeline } from './pipeline.ts';

export interface ChatParts extends InstantParts {
  pipeline: Pipeline;
  catalogue: Catalogue;
  completions: CompletionWriter;
}

export interface ChatRequest extends CompletionOrder {
  directives: Directives;
}

/** A reply, with an id derived from that of its charge. */
export interface Completion {
  id: string;
  written: WrittenCompletion;
}

/** Answers a chat: charged, written and settled in one transaction. Deterministic except for its id. */
export async function completeChat(parts: ChatParts, request: ChatRequest, payer: Payer): Promise<Paid<Completion>> {
  const model = parts.catalogue.model(request.model, 'chat');
  const images = request.messages.reduce((sum, message) => sum + message.images, 0);
  const { directives } = request;
  const promptTokens = await countAhead(request);
  const order = promptTokens === undefined ? request : { ...request, promptTokens };
  return parts.pipeline.run(
    {
      operation: 'chat.completion',
      model: model.id,
      prices: [price(chatTerms(model, images))],
      directives,
      work: instantWork(parts, { directives, payer }, (_tx, charged) => ({
        // A completion has the digits of its charge's id.
        id: `chatcmpl_${charged.id.slice(3)}`,
        written: writtenFor(parts, order, payer),
      })),
    },
    payer,
  );
}

function writtenFor(
  { completions }: ChatParts,
  order: ChatRequest,
  { scripted, appliedFault }: Payer,
): WrittenCompletion {
  const written = completions.write(order, scripted);
  const fault = appliedFault?.reply;
  return fault === undefined ? written : corruptReply(fault, written, order);
}
