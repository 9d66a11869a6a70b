import type { Catalogue } from '../catalogue/catalogue.ts';
import { chatPrice } from '../catalogue/prices.ts';
import type { Clock } from '../clock/clock.ts';
import type { Directives } from '../faults/directives.ts';
import type { Entry } from '../ledger/ledger.ts';
import type { Random } from '../random.ts';
import { assemblePrompt, type ChatMode, type PromptMessage } from '../render/text/engine-prompt.ts';
import type { ReplyWriter } from '../render/text/reply-writer.ts';
import { countTokens, takeTokens } from '../render/text/tokenizer.ts';
import { instantWork } from './instant-work.ts';
import type { Paid, Payer } from './order.ts';
import type { Road } from './road.ts';

export interface ChatParts {
  road: Road;
  random: Random;
  clock: Clock;
  catalogue: Catalogue;
  replies: ReplyWriter;
}

export interface ChatRequest {
  model: string;
  messages: readonly PromptMessage[];
  context?: string | undefined;
  mode: ChatMode;
  temperature: number;
  /** Tokens of the emulator's own tokenizer. */
  maxTokens: number;
  directives: Directives;
}

/** A reply, cut at `max_tokens` where it is longer. */
export interface Completion {
  id: string;
  content: string;
  finishReason: 'stop' | 'length';
  promptTokens: number;
  completionTokens: number;
  enginePrompt: PromptMessage[];
}

/** Answers a chat: charged, written and settled in one transaction. Deterministic but for its id. */
export function completeChat(
  parts: ChatParts,
  request: ChatRequest,
  payer: Payer,
): Promise<Paid<Completion>> {
  const model = parts.catalogue.model(request.model, 'chat');
  const images = request.messages.reduce((sum, message) => sum + message.images, 0);
  const { directives } = request;
  return parts.road.travel(
    {
      operation: 'chat.completion',
      model: model.id,
      prices: [chatPrice(model, images)],
      directives,
      work: instantWork(parts, { directives, payer }, (_tx, charged) =>
        writeCompletion(parts.replies, request, charged),
      ),
    },
    payer,
  );
}

function writeCompletion(replies: ReplyWriter, request: ChatRequest, charged: Entry): Completion {
  const { messages, context, mode, temperature } = request;
  const enginePrompt = assemblePrompt({ messages, mode, ...(context ? { context } : {}) });
  const model = request.model === 'svc-rp-mini' ? 'svc-rp-mini' : 'svc-rp-plus';
  const reply = replies.writeReply({ model, messages, context, mode, temperature });
  const taken = takeTokens(reply, request.maxTokens);
  return {
    // One charge, one completion: the id of the one names the other.
    id: `chatcmpl_${charged.id.slice(3)}`,
    content: taken.text,
    finishReason: taken.cut ? 'length' : 'stop',
    promptTokens: enginePrompt.reduce((sum, message) => sum + countTokens(message.text), 0),
    completionTokens: taken.tokens,
    enginePrompt,
  };
}
