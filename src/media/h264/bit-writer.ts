export class BitWriter {
  bytes: Buffer;
  #view: DataView;
  #length = 0;
  /** Pending bits: only the lowest `count` bits count. */
  #held = 0;
  #count = 0;

  constructor(size = 256) {
    this.bytes = Buffer.allocUnsafeSlow(size);
    this.#view = new DataView(this.bytes.buffer);
  }

  begin(): this {
    [this.#length, this.#held, this.#count] = [0, 0, 0];
    return this;
  }

  put(value: number, size: number): void {
    const room = 32 - this.#count;
    if (size < room) {
      this.#held = (this.#held << size) | value;
      this.#count += size;
      return;
    }
    const rest = size - room;
    if (this.#length + 4 > this.bytes.length) this.#grow();
    this.#view.setUint32(this.#length, (room === 32 ? 0 : this.#held << room) | (value >>> rest));
    this.#length += 4;
    this.#held = value;
    this.#count = rest;
  }

  putUnsigned(value: number): void {
    const code = value + 1;
    const bits = 31 - Math.clz32(code);
    if (bits > 14) {
      this.put(0, bits);
      this.put(code, bits + 1);
    } else {
      this.put(code, bits * 2 + 1);
    }
  }

  putSigned(value: number): void {
    this.putUnsigned(value > 0 ? 2 * value - 1 : -2 * value);
  }

  finish(): Buffer {
    this.put(1, 1);
    return this.end();
  }

  end(): Buffer {
    if (this.#length + 4 > this.bytes.length) this.#grow();
    const filled = (this.#count + 7) >> 3;
    if (this.#count > 0) this.#view.setUint32(this.#length, this.#held << (32 - this.#count));
    return this.bytes.subarray(0, this.#length + filled);
  }

  #grow(): void {
    const larger = Buffer.allocUnsafeSlow(this.bytes.length * 2);
    this.bytes.copy(larger);
    this.bytes = larger;
    this.#view = new DataView(larger.buffer);
  }
}
