import type { Clock } from '../../../base/clock/clock.ts';
import { pause, until } from '../../../base/clock/waits.ts';
import type { Completion } from '../../../engine/generation/chat.ts';
import type { WrittenCompletion } from '../../../engine/generation/completion-writer.ts';
import type { ScriptedPiece, Usage } from '../../../engine/generation/order.ts';
import { splitPieces } from '../../../media/text/tokenizer.ts';

/**
 * A completion as server-sent events: the first delta carries the role, one follows for each piece, the last chunk
 * carries the finish reason and the credit usage; then `[DONE]`. The joined deltas are the whole reply.
 */
export function* chatChunks(
  completion: Completion,
  about: { model: string; created: number; usage: Usage },
): Generator<string> {
  const { model, created, usage } = about;
  // All chunks of a stream begin alike: serialized once, since a long reply has a thousand.
  const shared = JSON.stringify({ id: completion.id, object: 'chat.completion.chunk', created, model });
  const head = `${shared.slice(0, -1)},"choices":[{"index":0,"delta":`;
  const { written } = completion;
  for (const delta of deltasOf(written)) yield `${head}${delta},"finish_reason":null}]}`;
  yield `${head}{},"finish_reason":${JSON.stringify(written.finishReason)}}],"usage":${JSON.stringify(usage)}}`;
  yield '[DONE]';
}

/** Serialized once: test suites ask for the same replies again and again. */
function deltasOf(written: WrittenCompletion): readonly string[] {
  written.deltas ??= writtenDeltas(written);
  return written.deltas;
}

function writtenDeltas({ content: whole, pieces }: WrittenCompletion): string[] {
  const contents = pieces ? pieces.map(({ text }) => text) : splitPieces(whole);
  const deltas = [{ role: 'assistant', content: '' }, ...contents.map((content) => ({ content }))];
  return deltas.map((delta) => JSON.stringify(delta));
}

/**
 * The same events with their pieces spread evenly over so many seconds: the first leaves at once, the last with the end,
 * each of them alone [I212].
 */
export async function* spread(
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

/** The same events, each scripted piece after its delay; before them comes the one that carries the role. */
export async function* paced(
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
