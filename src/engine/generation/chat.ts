import { relatedId } from '../../base/database/id-store.ts';
import { countTokens } from '../../media/text/tokenizer.ts';
import { chatPriceLines } from '../catalogue/catalogue.ts';
import { firstHalf, type ReplyFault } from '../faults/applied-fault.ts';
import type { Directives } from '../faults/directives.ts';
import { type CompletionRequest, countTokensInPieces, type WrittenCompletion } from './completion-writer.ts';
import { doInstantWork, type Generation, type PaidResult } from './pipeline.ts';
import type { Payer } from './place.ts';

export interface ChatRequest extends CompletionRequest {
  directives: Directives;
}

export interface Completion {
  id: string;
  written: WrittenCompletion;
}

/** Orders, writes and charges a reply in one transaction. The reply depends only on the request, except for its id. */
export async function completeChat(
  generation: Generation,
  request: ChatRequest,
  payer: Payer,
): Promise<PaidResult<Completion>> {
  const model = generation.catalogue.model(request.model, 'chat');
  const images = request.messages.reduce((sum, message) => sum + message.images, 0);
  const { directives } = request;
  const promptTokens = await countTokensInPieces(request);
  const order = promptTokens === undefined ? request : { ...request, promptTokens };
  return doInstantWork(
    generation,
    {
      operation: 'chat.completion',
      model: model.id,
      lines: chatPriceLines(model, images),
      directives,
      textOf: ({ written }: Completion) => written.content,
    },
    payer,
    (_tx, charge) => ({ id: relatedId(charge.id, 'completion'), written: writtenFor(generation, order, payer) }),
  );
}

function writtenFor(
  { completions }: Generation,
  order: ChatRequest,
  { scripted, appliedFault }: Payer,
): WrittenCompletion {
  const written = completions.write(order, scripted);
  const fault = appliedFault?.reply;
  return fault === undefined ? written : corruptReply(fault, written, order);
}

interface TrueReply {
  content: string;
  messages: CompletionRequest['messages'];
}

const CONTENT: Record<ReplyFault, (parts: TrueReply) => string> = {
  refusal: () => "I'm sorry, but I can't help with that.",
  empty: () => '',
  broken_json: ({ content }) => `{"reply": ${firstHalf(JSON.stringify(content))}`,
  markup: ({ content }) => `<p>${content}</p>\n<script>alert(1)</script>`,
  // Finnish, in which few prompts are written.
  other_language: () => 'Vastaan tänään vain suomeksi. Haluatko, että jatkan silti?',
  echo: ({ messages }) => messages.at(-1)?.text ?? '',
  cut: ({ content }) => firstHalf(content),
};

/** Changes the text of a reply. It ends with `stop`, and its tokens are counted again [I264]. */
function corruptReply(
  fault: ReplyFault,
  { enginePrompt, promptTokens, content }: WrittenCompletion,
  { messages }: Pick<CompletionRequest, 'messages'>,
): WrittenCompletion {
  const corrupted = CONTENT[fault]({ content, messages });
  const completionTokens = countTokens(corrupted);
  return { content: corrupted, finishReason: 'stop', enginePrompt, promptTokens, completionTokens };
}
