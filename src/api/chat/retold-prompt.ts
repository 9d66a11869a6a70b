import { assemblePrompt, type PromptMessage } from '../../render/text/engine-prompt.ts';
import { chatRequest, readChat } from './chat-schemas.ts';

/** The engine prompt as it was assembled for a request, told again from its body; undefined for one that is no chat. */
export function enginePromptOf(body: string): PromptMessage[] | undefined {
  const read = chatRequest.safeParse(JSON.parse(body));
  if (!read.success) return undefined;
  const { messages, context, mode } = readChat(read.data);
  return assemblePrompt({ messages, mode, ...(context ? { context } : {}) });
}
