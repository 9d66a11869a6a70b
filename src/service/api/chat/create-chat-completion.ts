import { unixSeconds } from '../../../base/clock/clock.ts';
import { completeChat } from '../../../engine/generation/chat.ts';
import { splitPieces } from '../../../media/text/tokenizer.ts';
import { EventStream } from '../../http/event-stream.ts';
import { operation } from '../../http/operation.ts';
import { warnOfBytes, warnOfUnused } from '../../http/request.ts';
import { chatChunks, paced, spread } from './chat-chunks.ts';
import { askedOfChat, chatChunk, chatCompletion, chatRequest, readChat } from './chat-schemas.ts';

export const createChatCompletion = operation({
  name: 'createChatCompletion',
  method: 'POST',
  path: '/v1/chat/completions',
  summary: 'A roleplay reply, whole or streamed: 3 credits with svc-rp-plus, 1 with svc-rp-mini, 2 per image.',
  access: 'key',
  paid: 'chat.completion',
  body: chatRequest,
  harmless: (body) => ['stream_options', ...(body.n === 1 ? ['n'] : [])],
  answer: chatCompletion,
  streamed: chatChunk,
  asked: askedOfChat,
  check: ({ context, body }) => void context.catalogue.model(body.model, 'chat'),
  async handle(call) {
    const request = readChat(call.body);
    warnOfUnused(call, 'messages', request.directives);
    warnOfBytes(call, 'messages', request.directives);
    const { result, usage } = await completeChat(call.context, request, call);
    const { written } = result;
    call.facts.enginePrompt = written.enginePrompt;
    call.header('svc-emulator-prompt-tokens', written.promptTokens);
    call.header('svc-emulator-completion-tokens', written.completionTokens);
    const { model } = request;
    if (call.body.stream) {
      const created = unixSeconds(call.context.clock.now());
      const chunks = call.streamed(chatChunks(result, { model, created, usage }));
      if (written.pieces) return new EventStream(paced(chunks, written.pieces, call));
      // A directive for the duration wins over the profile.
      const seconds = request.directives.slowSeconds === undefined ? call.appliedFault?.spreadSeconds : undefined;
      if (!seconds) return new EventStream(chunks);
      const pieces = splitPieces(written.content).length;
      return new EventStream(spread(chunks, { seconds, pieces }, call));
    }
    const message = { role: 'assistant' as const, content: written.content };
    return {
      id: result.id,
      object: 'chat.completion' as const,
      model,
      choices: [{ index: 0, message, finish_reason: written.finishReason }],
      usage,
    };
  },
});
