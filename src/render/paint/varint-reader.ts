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
