/** Reads the fields of H.264 headers, highest bit first. */
export class BitReader {
  position = 0;
  readonly #bytes: Buffer;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  take(size: number): number {
    let value = 0;
    for (let bit = 0; bit < size; bit++) {
      const byte = this.#bytes[this.position >> 3] ?? 0;
      value = value * 2 + ((byte >> (7 - (this.position & 7))) & 1);
      this.position++;
    }
    return value;
  }

  takeUnsigned(): number {
    let zeros = 0;
    while (zeros < 32 && this.take(1) === 0) zeros++;
    return (1 << zeros) - 1 + this.take(zeros);
  }

  takeSigned(): number {
    const code = this.takeUnsigned();
    return code % 2 === 1 ? (code + 1) / 2 : -code / 2;
  }
}
