import { type Clock, unixSeconds } from '../../../base/clock/clock.ts';
import { pause, until } from '../../../base/clock/waits.ts';
import { type Completion, completeChat } from '../../../engine/generation/chat.ts';
import type { WrittenCompletion } from '../../../engine/generation/completion-writer.ts';
import type { ScriptedPiece, Usage } from '../../../engine/generation/order.ts';
import { splitPieces } from '../../../media/text/tokenizer.ts';
import { warnOfBytes, warnOfUnused } from '../../http/directed-text.ts';
import { operation } from '../../http/operation.ts';
import { EventStream } from '../../http/replies.ts';
import { automaticDetails, chatChunk, chatCompletion, chatRequest, matchKeyOfChat, readChat } from './chat-schemas.ts';

export const createChatCompletion = operation({
  name: 'createChatCompletion',
  method: 'POST',
  path: '/v1/chat/completions',
  summary: 'A roleplay reply, whole or streamed: 3 credits with svc-rp-plus, 1 with svc-rp-mini, 2 per image.',
  access: 'key',
  paid: 'chat.completion',
  body: chatRequest,
  ignorableFields: (body) => ['stream_options', ...(body.n === 1 ? ['n'] : []), ...automaticDetails(body)],
  answer: chatCompletion,
  streamed: chatChunk,
  matchKey: matchKeyOfChat,
  check: ({ context, body }) => void context.generation.catalogue.model(body.model, 'chat'),
  async handle(call) {
    const request = readChat(call.body);
    warnOfUnused(call, 'messages', request.directives);
    warnOfBytes(call, 'messages', request.directives);
    const { result, usage } = await completeChat(call.context.generation, request, call);
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

/**
 * The first delta contains the role, each following one a piece, the last chunk the finish reason and the usage; then
 * `[DONE]`.
 */
function* chatChunks(
  completion: Completion,
  about: { model: string; created: number; usage: Usage },
): Generator<string> {
  const { model, created, usage } = about;
  // The common start of all chunks is serialized once, because a long reply has 1,000 chunks.
  const shared = JSON.stringify({ id: completion.id, object: 'chat.completion.chunk', created, model });
  const head = `${shared.slice(0, -1)},"choices":[{"index":0,"delta":`;
  const { written } = completion;
  for (const delta of deltasOf(written)) yield `${head}${delta},"finish_reason":null}]}`;
  yield `${head}{},"finish_reason":${JSON.stringify(written.finishReason)}}],"usage":${JSON.stringify(usage)}}`;
  yield '[DONE]';
}

/** Cached, because test suites request the same replies again and again. */
function deltasOf(written: WrittenCompletion): readonly string[] {
  written.deltas ??= writtenDeltas(written);
  return written.deltas;
}

function writtenDeltas({ content: whole, pieces }: WrittenCompletion): string[] {
  const contents = pieces ? pieces.map(({ text }) => text) : splitPieces(whole);
  const deltas = [{ role: 'assistant', content: '' }, ...contents.map((content) => ({ content }))];
  return deltas.map((delta) => JSON.stringify(delta));
}

/** Spreads the events evenly over the seconds: the first at once, the last at the end [I212]. */
async function* spread(
  events: Iterable<string>,
  { seconds, pieces }: { seconds: number; pieces: number },
  call: { context: { clock: Clock }; gone: AbortSignal },
): AsyncGenerator<string> {
  const { clock } = call.context;
  const start = clock.now();
  const apart = (seconds * 1000) / Math.max(1, pieces - 1);
  let position = -1;
  for (const event of events) {
    if (position > 0 && position < pieces) await until(clock, start + Math.floor(position * apart), call.gone);
    yield event;
    position += 1;
  }
}

/** Sends each scripted piece after its delay. The event with the role comes first. */
async function* paced(
  events: Iterable<string>,
  pieces: readonly ScriptedPiece[],
  call: { context: { clock: Clock }; gone: AbortSignal },
): AsyncGenerator<string> {
  let position = -1;
  for (const event of events) {
    const wait = pieces[position]?.delayMs ?? 0;
    if (wait > 0) await pause(call.context.clock, wait, call.gone);
    yield event;
    position += 1;
  }
}
