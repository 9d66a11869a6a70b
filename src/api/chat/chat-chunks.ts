import type { Completion } from '../../generation/chat.ts';
import type { Usage } from '../../generation/order.ts';
import { splitPieces } from '../../render/text/tokenizer.ts';

/**
 * A completion as server-sent events: the first delta carries the role, one follows for each piece, the last chunk
 * carries the finish reason and the credit usage; then `[DONE]`. The joined deltas are the whole reply.
 */
export function* chatChunks(
  completion: Completion,
  about: { model: string; created: number; usage: Usage },
): Generator<string> {
  const { model, created, usage } = about;
  const chunk = (delta: object, finish_reason: string | null, more: object = {}) =>
    JSON.stringify({
      id: completion.id,
      object: 'chat.completion.chunk',
      created,
      model,
      choices: [{ index: 0, delta, finish_reason }],
      ...more,
    });
  yield chunk({ role: 'assistant', content: '' }, null);
  for (const content of splitPieces(completion.written.content)) yield chunk({ content }, null);
  yield chunk({}, completion.written.finishReason, { usage });
  yield '[DONE]';
}
