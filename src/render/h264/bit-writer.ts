/** Writes the fields of H.264 headers and slices, highest bit first. */
export class BitWriter {
  bytes: Buffer;
  length = 0;
  #held = 0;
  #count = 0;

  constructor(size = 256) {
    this.bytes = Buffer.allocUnsafe(size);
  }

  /** Begins anew in the same buffer. */
  begin(): this {
    [this.length, this.#held, this.#count] = [0, 0, 0];
    return this;
  }

  /** An unsigned number of `size` bits, at most 24. */
  put(value: number, size: number): void {
    let count = this.#count + size;
    let held = (this.#held << size) | value;
    while (count >= 8) {
      if (this.length === this.bytes.length) this.#grow();
      count -= 8;
      this.bytes[this.length++] = (held >>> count) & 255;
    }
    held &= (1 << count) - 1;
    this.#held = held;
    this.#count = count;
  }

  /** Exponential Golomb code of an unsigned number below 2^23. */
  putUnsigned(value: number): void {
    const code = value + 1;
    const bits = 31 - Math.clz32(code);
    if (bits > 11) {
      this.put(0, bits);
      this.put(code, bits + 1);
    } else {
      this.put(code, bits * 2 + 1);
    }
  }

  putSigned(value: number): void {
    this.putUnsigned(value > 0 ? 2 * value - 1 : -2 * value);
  }

  /** Copies bits of another buffer from a bit position on to the end of its last byte. */
  putBitsOf(bytes: Buffer, position: number): void {
    let at = position >> 3;
    const skipped = position & 7;
    if (skipped > 0) this.put((bytes[at++] ?? 0) & (0xff >> skipped), 8 - skipped);
    for (; at < bytes.length; at++) this.put(bytes[at] ?? 0, 8);
  }

  /** The stop bit, and zeros to the end of the byte. */
  finish(): Buffer {
    this.put(1, 1);
    this.put(0, (8 - this.#count) & 7);
    return this.bytes.subarray(0, this.length);
  }

  /** What was written, cut after the last bit that is set: the stop bit of copied data. */
  finishCopied(): Buffer {
    this.put(0, (8 - this.#count) & 7);
    let end = this.length;
    while (end > 0 && this.bytes[end - 1] === 0) end--;
    return this.bytes.subarray(0, end);
  }

  #grow(): void {
    this.bytes = Buffer.concat([this.bytes], this.bytes.length * 2);
  }
}
