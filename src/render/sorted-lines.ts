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
