import { readFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';

/**
 * More than any of it holds. What is unpacked in one piece leaves with the thread that unpacked it; of the many small
 * pieces that are usual 10 MiB stayed with the process.
 */
const ROOM = { chunkSize: 4 * 1_048_576 };

/** What a file holds that was packed by Brotli. */
export function readPacked(path: string): Buffer {
  return brotliDecompressSync(readFileSync(path), ROOM);
}

const NEW_LINE = 10;
const TAB = 9;

/**
 * Lines of a key, a tab and a value, sorted by their bytes and ended by a blank line or the last byte: a key is found by
 * halving them, so that nothing but the file is kept.
 */
export class SortedLines {
  readonly #bytes: Buffer;
  readonly #from: number;
  /** Behind the last line. */
  readonly end: number;

  constructor(bytes: Buffer, from: number) {
    this.#bytes = bytes;
    this.#from = from;
    const blank = bytes.indexOf('\n\n', from);
    this.end = blank < 0 ? bytes.length : blank + 1;
  }

  /** The value of a key, which is Latin-1; the key is given in the encoding of the keys. */
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

/** Reads numbers of seven bits a byte, the lowest first. */
export class VarintReader {
  readonly #bytes: Uint8Array;
  /** The next byte. */
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

  /** A step: signs alternate. */
  step(): number {
    const value = this.next();
    return value & 1 ? -(value + 1) / 2 : value / 2;
  }
}
