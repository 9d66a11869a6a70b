import { firstHalf, type ReplyFault } from '../faults/applied-fault.ts';
import { countTokens } from '../render/text/tokenizer.ts';
import type { CompletionOrder, WrittenCompletion } from './completion-writer.ts';

interface Parts {
  content: string;
  messages: CompletionOrder['messages'];
}

const CONTENT: Record<ReplyFault, (parts: Parts) => string> = {
  refusal: () => "I'm sorry, but I can't help with that.",
  empty: () => '',
  broken_json: ({ content }) => `{"reply": ${firstHalf(JSON.stringify(content))}`,
  markup: ({ content }) => `<p>${content}</p>\n<script>alert(1)</script>`,
  // A language that few prompts are written in.
  other_language: () => 'Vastaan tänään vain suomeksi. Haluatko, että jatkan silti?',
  echo: ({ messages }) => messages.at(-1)?.text ?? '',
  cut: ({ content }) => firstHalf(content),
};

/** A reply whose content a fault rule corrupts; it ends with `stop`, and its tokens are those of the new content [I264]. */
export function corruptReply(
  fault: ReplyFault,
  { enginePrompt, promptTokens, content }: WrittenCompletion,
  { messages }: Pick<CompletionOrder, 'messages'>,
): WrittenCompletion {
  const corrupted = CONTENT[fault]({ content, messages });
  const completionTokens = countTokens(corrupted);
  return { content: corrupted, finishReason: 'stop', enginePrompt, promptTokens, completionTokens };
}
