import type { Hash } from 'node:crypto';

/** What can be written to, at its own pace. */
export interface Sink {
  write(chunk: Uint8Array): boolean;
  end(last?: undefined): unknown;
  destroy(error?: Error): void;
  on(event: 'drain' | 'close', listener: () => void): unknown;
  off(event: 'drain' | 'close', listener: () => void): unknown;
  readonly destroyed: boolean;
}

/** Writes all that comes out of `source`, waiting where the sink is full; ends early when the sink is closed. */
export async function copyStream(source: AsyncIterable<Uint8Array>, sink: Sink): Promise<void> {
  try {
    for await (const chunk of source) {
      if (sink.destroyed) return;
      if (!sink.write(chunk)) await roomIn(sink);
    }
    sink.end();
  } catch (error) {
    sink.destroy(error as Error);
    throw error;
  }
}

function roomIn(sink: Sink): Promise<void> {
  if (sink.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const goOn = () => {
      sink.off('drain', goOn);
      sink.off('close', goOn);
      resolve();
    };
    sink.on('drain', goOn);
    sink.on('close', goOn);
  });
}

/** The same bytes, hashed on the way. */
export async function* hashed(source: AsyncIterable<unknown>, hash: Hash): AsyncGenerator<Uint8Array> {
  for await (const chunk of source) {
    hash.update(chunk as Uint8Array);
    yield chunk as Uint8Array;
  }
}
