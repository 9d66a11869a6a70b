import { setImmediate as breath } from 'node:timers/promises';
import type { ChatMode, PromptMessage } from '../render/text/engine-prompt.ts';
import { assemblePrompt } from '../render/text/engine-prompt.ts';
import type { ReplyWriter } from '../render/text/reply-writer.ts';
import { countTokens, TokenCounter, takeTokens } from '../render/text/tokenizer.ts';
import type { ScriptedAnswer, ScriptedPiece } from './scripted.ts';

/** What decides a completion. */
export interface CompletionOrder {
  model: string;
  messages: readonly PromptMessage[];
  context?: string | undefined;
  mode: ChatMode;
  temperature: number;
  /** Tokens of the emulator's own tokenizer. */
  maxTokens: number;
  /** The length of the engine prompt, where it is counted already. */
  promptTokens?: number | undefined;
}

/** A reply, cut at `maxTokens` where it is longer. */
export interface WrittenCompletion {
  content: string;
  finishReason: 'stop' | 'length';
  promptTokens: number;
  completionTokens: number;
  enginePrompt: PromptMessage[];
  /** How a scripted reply is streamed. */
  pieces?: readonly ScriptedPiece[] | undefined;
  /** The deltas of its stream as JSON, once it was streamed. */
  deltas?: readonly string[];
}

/** How many completions are remembered, and how long, in characters, what decides one may be. */
const REMEMBERED = 500;
const LONGEST = 8192;

/** Writes completions; the same order gives the same one, which suites ask for again and again, so the last ones are kept. */
export class CompletionWriter {
  readonly #replies: ReplyWriter;
  readonly #remembered = new Map<string, WrittenCompletion>();

  constructor(replies: ReplyWriter) {
    this.#replies = replies;
  }

  /** A scripted text stands as it is, however many tokens were asked for. */
  write(order: CompletionOrder, script?: ScriptedAnswer): WrittenCompletion {
    if (script?.text !== undefined) return scriptedCompletion(order, script.text, script.pieces);
    if (isLong(order)) return this.#compose(order);
    const key = keyOf(order);
    const known = this.#remembered.get(key);
    if (known) return known;
    const written = this.#compose(order);
    if (this.#remembered.size >= REMEMBERED) this.#forgetOldest();
    this.#remembered.set(key, written);
    return written;
  }

  #compose(order: CompletionOrder): WrittenCompletion {
    const { messages, context, mode, temperature } = order;
    const model = order.model === 'svc-rp-mini' ? 'svc-rp-mini' : 'svc-rp-plus';
    const reply = this.#replies.writeReply({ model, messages, context, mode, temperature });
    const taken = takeTokens(reply, order.maxTokens);
    return {
      content: taken.text,
      finishReason: taken.cut ? 'length' : 'stop',
      completionTokens: taken.tokens,
      ...prompted(order),
    };
  }

  #forgetOldest(): void {
    for (const oldest of this.#remembered.keys()) {
      this.#remembered.delete(oldest);
      return;
    }
  }
}

function scriptedCompletion(
  order: CompletionOrder,
  content: string,
  pieces: ScriptedAnswer['pieces'],
): WrittenCompletion {
  const completionTokens = countTokens(content);
  return { content, finishReason: 'stop', completionTokens, pieces, ...prompted(order) };
}

/** What the engine is told, and its length. */
function prompted(order: CompletionOrder) {
  const enginePrompt = promptOf(order);
  const promptTokens = order.promptTokens ?? enginePrompt.reduce((sum, { text }) => sum + countTokens(text), 0);
  return { enginePrompt, promptTokens };
}

function promptOf({ messages, context, mode }: CompletionOrder): PromptMessage[] {
  return assemblePrompt({ messages, mode, ...(context ? { context } : {}) });
}

/** In UTF-16 units: a prompt up to so long is counted when it is written. */
const LONG = 262_144;

/** Counts the tokens of a long prompt ahead, a piece a turn, so that nobody else waits for it; undefined for others. */
export async function countAhead(order: CompletionOrder): Promise<number | undefined> {
  if (order.messages.reduce((sum, { text }) => sum + text.length, order.context?.length ?? 0) <= LONG) return undefined;
  const counter = new TokenCounter(promptOf(order).map(({ text }) => text));
  while (!counter.isDone) {
    counter.advance(LONG);
    await breath();
  }
  return counter.tokens;
}

/** To look it up would take as long as to write it. */
function isLong({ messages, context = '' }: CompletionOrder): boolean {
  return context.length + messages.reduce((sum, { text }) => sum + text.length, 0) > LONGEST;
}

/** Texts are told apart by their lengths, so that no two orders share a key. */
function keyOf({ model, messages, context = '', mode, temperature, maxTokens }: CompletionOrder): string {
  let key = `${model} ${mode} ${temperature} ${maxTokens} ${context.length} ${context}`;
  for (const { role, text, images } of messages) key += ` ${role} ${images} ${text.length} ${text}`;
  return key;
}
