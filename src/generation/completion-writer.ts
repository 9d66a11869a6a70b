import type { ChatMode, PromptMessage } from '../render/text/engine-prompt.ts';
import { assemblePrompt } from '../render/text/engine-prompt.ts';
import type { ReplyWriter } from '../render/text/reply-writer.ts';
import { countTokens, takeTokens } from '../render/text/tokenizer.ts';

/** What decides a completion. */
export interface CompletionOrder {
  model: string;
  messages: readonly PromptMessage[];
  context?: string | undefined;
  mode: ChatMode;
  temperature: number;
  /** Tokens of the emulator's own tokenizer. */
  maxTokens: number;
}

/** A reply, cut at `maxTokens` where it is longer. */
export interface WrittenCompletion {
  content: string;
  finishReason: 'stop' | 'length';
  promptTokens: number;
  completionTokens: number;
  enginePrompt: PromptMessage[];
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

  write(order: CompletionOrder): WrittenCompletion {
    const key = keyOf(order);
    const known = this.#remembered.get(key);
    if (known) return known;
    const written = this.#compose(order);
    if (key.length > LONGEST) return written;
    if (this.#remembered.size >= REMEMBERED) this.#forgetOldest();
    this.#remembered.set(key, written);
    return written;
  }

  #compose({ messages, context, mode, temperature, ...order }: CompletionOrder): WrittenCompletion {
    const enginePrompt = assemblePrompt({ messages, mode, ...(context ? { context } : {}) });
    const model = order.model === 'svc-rp-mini' ? 'svc-rp-mini' : 'svc-rp-plus';
    const reply = this.#replies.writeReply({ model, messages, context, mode, temperature });
    const taken = takeTokens(reply, order.maxTokens);
    return {
      content: taken.text,
      finishReason: taken.cut ? 'length' : 'stop',
      promptTokens: enginePrompt.reduce((sum, message) => sum + countTokens(message.text), 0),
      completionTokens: taken.tokens,
      enginePrompt,
    };
  }

  #forgetOldest(): void {
    for (const oldest of this.#remembered.keys()) {
      this.#remembered.delete(oldest);
      return;
    }
  }
}

/** Texts are told apart by their lengths, so that no two orders share a key. */
function keyOf({
  model,
  messages,
  context = '',
  mode,
  temperature,
  maxTokens,
}: CompletionOrder): string {
  let key = `${model} ${mode} ${temperature} ${maxTokens} ${context.length} ${context}`;
  for (const { role, text, images } of messages) key += ` ${role} ${images} ${text.length} ${text}`;
  return key;
}
