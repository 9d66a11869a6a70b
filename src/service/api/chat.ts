import { z } from 'zod';
import { type Clock, unixSeconds, waitRealTime, waitUntil } from '../../base/clock/clock.ts';
import { deriveRelatedId } from '../../base/database/id-store.ts';
import { integerBetween, optional, unixTimeSchema, withDefault } from '../../base/schemas.ts';
import { chatPriceLines } from '../../engine/catalogue/catalogue.ts';
import { type Directives, mergeDirectives } from '../../engine/faults/directives.ts';
import { type ChatReplyFault, firstHalf } from '../../engine/faults/request-faults.ts';
import {
  type CompletionRequest,
  countLongPromptTokens,
  type ScriptedPiece,
  type WrittenCompletion,
} from '../../engine/generation/completion-writer.ts';
import { chargeAndExecute } from '../../engine/generation/instant-work.ts';
import type { CreditUsage, GenerationContext, PaidResult, Payer } from '../../engine/generation/place-order.ts';
import { assemblePromptMessages, type PromptMessage } from '../../media/text/reply-writer.ts';
import { countTokens, splitTokens } from '../../media/text/tokenizer.ts';
import type { RequestMatchValues } from '../fixtures/fixture-schema.ts';
import { textWithDirectives, warnOfUnusedBytes, warnOfUnusedDirectives } from '../http/directed-text.ts';
import { rejectionChoiceRegistry } from '../http/field-tree.ts';
import { creditUsageSchema, modelIdSchema } from '../http/input.ts';
import type { NeutralValues } from '../http/neutral-values.ts';
import { defineOperation } from '../http/operation.ts';
import { privateUrlWarnings, type UrlField } from '../http/reachable-urls.ts';
import { EventStreamReply } from '../http/replies.ts';

const imageUrl = z.string().superRefine((url, context) => {
  if (/^(?:data:image\/|https?:\/\/)/i.test(url)) return;
  context.addIssue({ code: 'custom', message: 'must be a data:image/… or an http(s) URL.' });
});

const MAX_MESSAGES = 4096;
const MAX_PARTS = 1024;

const PART_TYPES = 'text or image_url.';
const textPart = z.object({
  type: z.literal('text').describe(PART_TYPES),
  text: textWithDirectives().describe('the text of the part.'),
});
const imagePart = z.object({
  type: z.literal('image_url').describe(PART_TYPES),
  image_url: z
    .union([imageUrl, z.object({ url: imageUrl })])
    .register(rejectionChoiceRegistry, { choice: 'C059' })
    .describe('a data:image/… or http(s) URL, or an object with this URL in url.'),
});

const message = z
  .object({
    role: z.enum(['system', 'user', 'assistant']).describe('system, user or assistant.'),
    content: z
      .union([textWithDirectives(), z.array(z.discriminatedUnion('type', [textPart, imagePart])).max(MAX_PARTS)])
      .describe('a string; in user messages also an array of text and image_url parts.'),
  })
  .superRefine(({ role, content }, context) => {
    if (role === 'user' || !Array.isArray(content)) return;
    const text = `must be a string in ${role} messages; only user messages may have parts.`;
    context.addIssue({ code: 'custom', path: ['content'], message: text });
  });

const TOKENS = { scene: { standard: 500, most: 1200 }, messaging: { standard: 160, most: 160 } };

/** `toChatRequest` sets the default of `max_tokens`. */
export const chatRequestSchema = z
  .object({
    model: modelIdSchema('chat').describe('svc-rp-plus or svc-rp-mini.'),
    messages: z
      .array(message)
      .min(1)
      .max(MAX_MESSAGES)
      .register(rejectionChoiceRegistry, { choice: 'C058', only: 'too_small' })
      .describe('the conversation, 1 to 4,096 messages.'),
    context: optional(textWithDirectives()).describe('a persona, scene or lore block.'),
    mode: withDefault(z.enum(['scene', 'messaging']), 'scene').describe('scene or messaging (default: scene).'),
    stream: withDefault(z.boolean(), false).describe('true to receive the reply as server-sent events.'),
    temperature: withDefault(z.number().min(0).max(1.5), 0.8).describe('a number from 0 to 1.5 (default: 0.8).'),
    max_tokens: optional(
      integerBetween(1, TOKENS.scene.most).register(rejectionChoiceRegistry, { choice: 'C063', only: 'too_big' }),
    ).describe('a whole number from 1 to 1200 (default: 500); in messaging mode from 1 to 160 (default: 160).'),
  })
  .superRefine(({ mode, max_tokens = 1 }, context) => {
    const { most } = TOKENS[mode];
    if (max_tokens <= most) return;
    const text = `must be at most ${most} in ${mode} mode, not ${max_tokens}.`;
    context.addIssue({ code: 'custom', path: ['max_tokens'], message: text, params: { choice: 'C063' } });
  });

type ChatBody = z.output<typeof chatRequestSchema>;

function imageUrls({ messages }: ChatBody): UrlField[] {
  return messages.flatMap(({ content }, turn) => {
    if (!Array.isArray(content)) return [];
    return content.flatMap((part, at) => {
      if (part.type === 'text') return [];
      const field = `messages.${turn}.content.${at}.image_url`;
      const { image_url: given } = part;
      return typeof given === 'string' ? { field, url: given } : { field: `${field}.url`, url: given.url };
    });
  });
}

const NEUTRAL: NeutralValues = {
  ...{ top_p: [1], presence_penalty: [0], frequency_penalty: [0], logit_bias: [], seed: [], stop: [] },
  ...{ logprobs: [false], top_logprobs: [0], stream_options: 'any', modalities: [['text']] },
  ...{
    tools: [],
    tool_choice: ['none', 'auto'],
    parallel_tool_calls: 'any',
    functions: [],
    function_call: ['none', 'auto'],
  },
  ...{
    response_format: [{ type: 'text' }],
    audio: [],
    prediction: [],
    max_completion_tokens: [],
    verbosity: ['medium'],
  },
  ...{ service_tier: ['auto', 'default'], store: [false], prompt_cache_key: 'any', safety_identifier: 'any' },
  ...{ 'messages.*.name': [], 'messages.*.refusal': [], 'messages.*.annotations': [], 'messages.*.tool_calls': [] },
  'messages.*.content.*.image_url.detail': ['auto'],
};

function matchValuesOfChat({ model, messages }: ChatBody): RequestMatchValues {
  const turns = messages.filter(({ role }) => role === 'user');
  const content = turns.at(-1)?.content;
  return { model, message: content && textOf(content), turn: turns.length };
}

function textOf(content: ChatBody['messages'][number]['content']): string {
  if (!Array.isArray(content)) return content.text;
  return content.flatMap((part) => (part.type === 'text' ? [part.text.text] : [])).join('\n');
}

export function toChatRequest(body: ChatBody) {
  const turns = body.messages.map(({ role, content }) => {
    if (!Array.isArray(content)) return { role, images: 0, ...content };
    const texts = content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
    return {
      role,
      images: content.length - texts.length,
      text: texts.map(({ text }) => text).join('\n'),
      directives: texts.map(({ directives }) => directives).reduce(mergeDirectives, {}),
    };
  });
  const { context } = body;
  return {
    model: body.model,
    messages: turns.map(({ role, text, images }) => ({ role, text, images })),
    context: context?.text,
    mode: body.mode,
    temperature: body.temperature,
    maxTokens: body.max_tokens ?? TOKENS[body.mode].standard,
    directives: turns.reduce((all, turn) => mergeDirectives(all, turn.directives), context?.directives ?? {}),
  };
}

const chatCompletion = z.strictObject({
  id: z.string(),
  object: z.literal('chat.completion'),
  model: z.string(),
  choices: z.array(
    z.strictObject({
      index: z.int(),
      message: z.strictObject({ role: z.literal('assistant'), content: z.string() }),
      finish_reason: z.enum(['stop', 'length']),
    }),
  ),
  usage: creditUsageSchema,
});

const chatChunk = z.strictObject({
  id: z.string(),
  object: z.literal('chat.completion.chunk'),
  created: unixTimeSchema,
  model: z.string(),
  choices: z.array(
    z.strictObject({
      index: z.int(),
      delta: z.strictObject({
        role: z.literal('assistant').optional(),
        content: z.string().optional(),
      }),
      finish_reason: z.enum(['stop', 'length']).nullable(),
    }),
  ),
  usage: creditUsageSchema.optional(),
});

export function promptMessagesOfChatBody(body: string): PromptMessage[] | undefined {
  const read = chatRequestSchema.safeParse(JSON.parse(body));
  if (!read.success) return undefined;
  const { messages, context, mode } = toChatRequest(read.data);
  return assemblePromptMessages({ messages, mode, ...(context ? { context } : {}) });
}

export const createChatCompletion = defineOperation({
  name: 'createChatCompletion',
  method: 'POST',
  path: '/v1/chat/completions',
  summary: 'Returns a roleplay reply, whole or streamed: 3 credits with svc-rp-plus, 1 with svc-rp-mini, 2 per image.',
  access: 'key',
  paid: 'chat.completion',
  body: chatRequestSchema,
  neutral: NEUTRAL,
  answer: chatCompletion,
  streamed: chatChunk,
  matchValues: matchValuesOfChat,
  validate: (call) => call.warnAll(privateUrlWarnings(call.context, imageUrls(call.body))),
  checkBeforeFaults: ({ context, body }) => void context.generation.catalogue.model(body.model, 'chat'),
  async handle(call) {
    const request = toChatRequest(call.body);
    warnOfUnusedDirectives(call, 'messages', request.directives);
    warnOfUnusedBytes(call, 'messages', request.directives);
    const { result, usage } = await completeChat(call.context.generation, request, call);
    const { written } = result;
    call.annotations.enginePrompt = written.enginePrompt;
    call.header('svc-emulator-prompt-tokens', written.promptTokens);
    call.header('svc-emulator-completion-tokens', written.completionTokens);
    const { model } = request;
    if (call.body.stream) {
      const created = unixSeconds(call.context.clock.now());
      const chunks = chatChunks(result, { model, created, usage });
      if (written.pieces) return new EventStreamReply(paced(chunks, written.pieces, call));
      // The duration of a `slow` directive replaces the duration of the latency profile.
      const seconds = request.directives.slowSeconds === undefined ? call.faults?.spreadSeconds : undefined;
      const pieces = splitTokens(written.content);
      if (seconds) return new EventStreamReply(spread(chunks, { seconds, pieces: pieces.length }, call));
      if (!call.context.config.demo) return new EventStreamReply(chunks);
      const read = pieces.map((text) => ({ text, delayMs: READING_PACE }));
      return new EventStreamReply(paced(chunks, read, call));
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

interface ChatRequest extends CompletionRequest {
  directives: Directives;
}

interface Completion {
  id: string;
  written: WrittenCompletion;
}

/**
 * Charges for a reply and writes it in one transaction. The reply depends only on the request, unless it is scripted or
 * a fault rule changes it.
 */
export async function completeChat(
  generation: GenerationContext,
  request: ChatRequest,
  payer: Payer,
): Promise<PaidResult<Completion>> {
  const model = generation.catalogue.model(request.model, 'chat');
  const images = request.messages.reduce((sum, message) => sum + message.images, 0);
  const { directives } = request;
  const promptTokens = await countLongPromptTokens(request);
  const counted = promptTokens === undefined ? request : { ...request, promptTokens };
  return chargeAndExecute(
    generation,
    {
      operation: 'chat.completion',
      model: model.id,
      lines: chatPriceLines(model, images),
      directives,
      textOf: ({ written }: Completion) => written.content,
    },
    payer,
    (_tx, charge) => ({
      id: deriveRelatedId(charge.id, 'completion'),
      written: writtenFor(generation, counted, payer),
    }),
  );
}

function writtenFor(
  { completions }: GenerationContext,
  request: ChatRequest,
  { scripted, faults }: Payer,
): WrittenCompletion {
  const written = completions.write(request, scripted);
  const fault = faults?.reply;
  return fault === undefined ? written : corruptReply(fault, written, request);
}

interface TrueReply {
  content: string;
  messages: CompletionRequest['messages'];
}

const CONTENT: Record<ChatReplyFault, (parts: TrueReply) => string> = {
  refusal: () => "I'm sorry, but I can't help with that.",
  empty: () => '',
  broken_json: ({ content }) => `{"reply": ${firstHalf(JSON.stringify(content))}`,
  markup: ({ content }) => `<p>${content}</p>\n<script>alert(1)</script>`,
  // A reply in Finnish, because few prompts are written in it.
  other_language: () => 'Vastaan tänään vain suomeksi. Haluatko, että jatkan silti?',
  echo: ({ messages }) => messages.at(-1)?.text ?? '',
  cut: ({ content }) => firstHalf(content),
};

/** The changed reply has the finish reason `stop`, and its tokens are counted again [I264]. */
function corruptReply(
  fault: ChatReplyFault,
  { enginePrompt, promptTokens, content }: WrittenCompletion,
  { messages }: Pick<CompletionRequest, 'messages'>,
): WrittenCompletion {
  const corrupted = CONTENT[fault]({ content, messages });
  const completionTokens = countTokens(corrupted);
  return { content: corrupted, finishReason: 'stop', enginePrompt, promptTokens, completionTokens };
}

/** Milliseconds between two pieces of a stream in the demo, where a person reads along. */
const READING_PACE = 40;

function* chatChunks(
  completion: Completion,
  about: { model: string; created: number; usage: CreditUsage },
): Generator<string> {
  const { model, created, usage } = about;
  // The common start of all chunks is serialized once, because a long reply can have 1,000 chunks.
  const shared = JSON.stringify({ id: completion.id, object: 'chat.completion.chunk', created, model });
  const head = `${shared.slice(0, -1)},"choices":[{"index":0,"delta":`;
  const { written } = completion;
  // Keeps the serialized pieces, because test suites request the same replies again and again.
  written.deltas ??= deltasOf(written);
  for (const delta of written.deltas) yield `${head}${delta},"finish_reason":null}]}`;
  yield `${head}{},"finish_reason":${JSON.stringify(written.finishReason)}}],"usage":${JSON.stringify(usage)}}`;
  yield '[DONE]';
}

function deltasOf({ content: whole, pieces }: WrittenCompletion): string[] {
  const contents = pieces ? pieces.map(({ text }) => text) : splitTokens(whole);
  const deltas = [{ role: 'assistant', content: '' }, ...contents.map((content) => ({ content }))];
  return deltas.map((delta) => JSON.stringify(delta));
}

/** Spreads the pieces evenly: the first is sent immediately, and the last of several after `seconds` [I212]. */
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
    if (position > 0 && position < pieces) await waitUntil(clock, start + Math.floor(position * apart), call.gone);
    yield event;
    position += 1;
  }
}

async function* paced(
  events: Iterable<string>,
  pieces: readonly ScriptedPiece[],
  call: { context: { clock: Clock }; gone: AbortSignal },
): AsyncGenerator<string> {
  let position = -1;
  for (const event of events) {
    const wait = pieces[position]?.delayMs ?? 0;
    if (wait > 0) await waitRealTime(call.context.clock, wait, call.gone);
    yield event;
    position += 1;
  }
}
