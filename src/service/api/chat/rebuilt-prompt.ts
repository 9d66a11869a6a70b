import { assemblePrompt, type PromptMessage } from '../../../media/text/engine-prompt.ts';
import { chatRequest, readChat } from './chat-schemas.ts';

/** The engine prompt of a request, assembled again from its body; undefined where it is no chat. */
export function enginePromptOf(body: string): PromptMessage[] | undefined {
  const read = chatRequest.safeParse(JSON.parse(body));
  if (!read.success) return undefined;
  const { messages, context, mode } = readChat(read.data);
  return assemblePrompt({ messages, mode, ...(context ? { context } : {}) });
}
