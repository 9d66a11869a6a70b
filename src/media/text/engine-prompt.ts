/** `scene` is immersive prose, `messaging` a texting register [R142 R143]. */
export type ChatMode = 'scene' | 'messaging';

/** One turn as the engine sees it: its text parts joined, and how many images came with it. */
export interface PromptMessage {
  role: 'system' | 'user' | 'assistant';
  text: string;
  images: number;
}

/** What of a chat request the engine prompt is made from. */
export interface PromptParts {
  messages: readonly PromptMessage[];
  context?: string;
  mode: ChatMode;
}

const PREAMBLE =
  'You are a character in a shared story. Stay in the scene, answer what was said, and leave the other person room to act.';
const REGISTER = 'This is a text conversation: answer in one or two short, casual lines, without narration.';

/**
 * The engine prompt: the system turns, or a default preamble where there is none; `context` after them;
 * in messaging mode a note on the register; then the conversation [R140 R141].
 */
export function assemblePrompt(parts: PromptParts): PromptMessage[] {
  const prompt = parts.messages.filter((message) => message.role === 'system');
  if (prompt.length === 0) prompt.push(systemTurn(PREAMBLE));
  if (parts.context) prompt.push(systemTurn(parts.context));
  if (parts.mode === 'messaging') prompt.push(systemTurn(REGISTER));
  for (const message of parts.messages) {
    if (message.role !== 'system') prompt.push(message);
  }
  return prompt;
}

function systemTurn(text: string): PromptMessage {
  return { role: 'system', text, images: 0 };
}
