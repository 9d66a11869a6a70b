import { readFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';

/** The size of the buffers for decompression. With small ones, 10 MiB of memory stayed with the process after the worker ended. */
const ROOM = { chunkSize: 4 * 1_048_576 };

export function readBrotliFile(path: string): Buffer {
  return brotliDecompressSync(readFileSync(path), ROOM);
}

const NEW_LINE = 10;
const TAB = 9;

/** Finds values in sorted lines of key, tab and value, up to a blank line. Searches the bytes to save memory. */
export class SortedLineIndex {
  readonly #bytes: Buffer;
  readonly #from: number;
  readonly end: number;

  constructor(bytes: Buffer, from: number) {
    this.#bytes = bytes;
    this.#from = from;
    const blank = bytes.indexOf('\n\n', from);
    this.end = blank < 0 ? bytes.length : blank + 1;
  }

  find(key: Buffer): string | undefined {
    let [low, high] = [this.#from, this.end];
    while (low < high) {
      const middle = (low + high) >> 1;
      const start = Math.max(low, this.#bytes.lastIndexOf(NEW_LINE, middle - 1) + 1);
      const tab = this.#bytes.indexOf(TAB, start);
      const order = this.#bytes.compare(key, 0, key.length, start, tab);
      const lineEnd = this.#bytes.indexOf(NEW_LINE, tab);
      if (order === 0) return this.#bytes.toString('latin1', tab + 1, lineEnd);
      if (order > 0) high = start;
      else low = lineEnd + 1;
    }
    return undefined;
  }
}

export class VarintReader {
  readonly #bytes: Uint8Array;
  at: number;

  constructor(bytes: Uint8Array, at = 0) {
    this.#bytes = bytes;
    this.at = at;
  }

  next(): number {
    let [value, shift] = [0, 0];
    for (;;) {
      const byte = this.#bytes[this.at++] ?? 0;
      value |= (byte & 127) << shift;
      if (byte < 128) return value;
      shift += 7;
    }
  }

  step(): number {
    return decodeZigzag(this.next());
  }
}

export function decodeZigzag(value: number): number {
  return value & 1 ? -(value + 1) / 2 : value / 2;
}
