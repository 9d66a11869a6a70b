import { yieldToEventLoop } from '../../base/clock/real-globals.ts';
import {
  assemblePromptMessages,
  type ChatMode,
  type PromptMessage,
  type ReplyWriter,
} from '../../media/text/reply-writer.ts';
import { countTokens, ResumableTokenCounter, truncateToTokens } from '../../media/text/tokenizer.ts';

export interface CompletionRequest {
  model: string;
  messages: readonly PromptMessage[];
  context?: string | undefined;
  mode: ChatMode;
  temperature: number;
  maxTokens: number;
  promptTokens?: number | undefined;
}

/** `delayMs` is the real time before the piece. */
export interface ScriptedPiece {
  text: string;
  delayMs: number;
}

export interface ScriptedText {
  text?: string;
  pieces?: readonly ScriptedPiece[];
}

export interface WrittenCompletion {
  content: string;
  finishReason: 'stop' | 'length';
  promptTokens: number;
  completionTokens: number;
  enginePrompt: PromptMessage[];
  pieces?: readonly ScriptedPiece[] | undefined;
  deltas?: readonly string[];
}

const CACHED = 500;
const MAX_CACHED_INPUT = 8192;

/**
 * Writes the replies of chats. Equal requests have equal replies, and test suites repeat requests, so the last replies
 * to short prompts are cached.
 */
export class CompletionWriter {
  readonly #replies: ReplyWriter;
  readonly #cached = new Map<string, WrittenCompletion>();

  constructor(replies: ReplyWriter) {
    this.#replies = replies;
  }

  /** `maxTokens` does not shorten a scripted text. */
  write(request: CompletionRequest, script?: ScriptedText): WrittenCompletion {
    if (script?.text !== undefined) return scriptedCompletion(request, script.text, script.pieces);
    if (isLong(request)) return this.#compose(request);
    const key = keyOf(request);
    const known = this.#cached.get(key);
    if (known) return known;
    const written = this.#compose(request);
    const [oldest = ''] = this.#cached.keys();
    if (this.#cached.size >= CACHED) this.#cached.delete(oldest);
    this.#cached.set(key, written);
    return written;
  }

  #compose(request: CompletionRequest): WrittenCompletion {
    const { messages, context, mode, temperature } = request;
    const model = request.model === 'svc-rp-mini' ? 'svc-rp-mini' : 'svc-rp-plus';
    const reply = this.#replies.writeReply({ model, messages, context, mode, temperature });
    const taken = truncateToTokens(reply, request.maxTokens);
    return {
      content: taken.text,
      finishReason: taken.cut ? 'length' : 'stop',
      completionTokens: taken.tokens,
      ...prompted(request),
    };
  }
}

function scriptedCompletion(
  request: CompletionRequest,
  content: string,
  pieces: ScriptedText['pieces'],
): WrittenCompletion {
  const completionTokens = countTokens(content);
  return { content, finishReason: 'stop', completionTokens, pieces, ...prompted(request) };
}

function prompted(request: CompletionRequest) {
  const enginePrompt = promptOf(request);
  const promptTokens = request.promptTokens ?? enginePrompt.reduce((sum, { text }) => sum + countTokens(text), 0);
  return { enginePrompt, promptTokens };
}

function promptOf({ messages, context, mode }: CompletionRequest): PromptMessage[] {
  return assemblePromptMessages({ messages, mode, ...(context ? { context } : {}) });
}

/** The longest prompt whose tokens are counted at once, in UTF-16 units. A longer prompt is counted in pieces. */
const LONG = 262_144;

/**
 * Counts the tokens of a long prompt in pieces, and lets other requests run in between. Returns undefined for a short
 * prompt.
 */
export async function countLongPromptTokens(request: CompletionRequest): Promise<number | undefined> {
  if (request.messages.reduce((sum, { text }) => sum + text.length, request.context?.length ?? 0) <= LONG)
    return undefined;
  const counter = new ResumableTokenCounter(promptOf(request).map(({ text }) => text));
  while (!counter.isDone) {
    counter.advance(LONG);
    await yieldToEventLoop();
  }
  return counter.tokens;
}

function isLong({ messages, context = '' }: CompletionRequest): boolean {
  return context.length + messages.reduce((sum, { text }) => sum + text.length, 0) > MAX_CACHED_INPUT;
}

/**
 * The key of a request in the cache. It contains the lengths of texts, so that different requests never share a key.
 */
function keyOf({ model, messages, context = '', mode, temperature, maxTokens }: CompletionRequest): string {
  let key = `${model} ${mode} ${temperature} ${maxTokens} ${context.length} ${context}`;
  for (const { role, text, images } of messages) key += ` ${role} ${images} ${text.length} ${text}`;
  return key;
}
