import type { StreamFault } from './struck.ts';

/** Thrown where a fault rule lets a stream end in the middle. */
export class StreamCut extends Error {
  override name = 'StreamCut';
}

/** What is sent before the connection dies reaches its client first: clients drop what they have not read when it does. */
const REACH_MS = 60;

/**
 * Events as a fault rule spoils them [I141 I197]: counted from 1, `[DONE]` included; `pause` waits so many milliseconds.
 * Throws `StreamCut` after the event at which the connection is to die; a stream that is shorter ends as usual.
 */
export async function* spoilStream(
  events: Iterable<string> | AsyncIterable<string>,
  fault: StreamFault,
  pause: (milliseconds: number) => Promise<void>,
): AsyncGenerator<string> {
  let n = 0;
  for await (const event of events) {
    if (fault.omit_done && event === '[DONE]') return;
    n += 1;
    await pause((n === 1 ? fault.ttft_ms : fault.interval_ms) ?? 0);
    yield n === fault.malformed_at ? broken(event) : event;
    if (n !== fault.cut_after) continue;
    await pause(REACH_MS);
    throw new StreamCut(`cut after ${n} events`);
  }
}

/** Half a text: neither JSON nor `[DONE]`. */
function broken(event: string): string {
  return event.slice(0, Math.ceil(event.length / 2));
}
