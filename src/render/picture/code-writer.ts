import type { Code } from './deflate-codes.ts';

/** Writes codes one behind the other, from an even place on; two bytes at a time, which every supported processor writes lowest byte first. */
export class CodeWriter {
  readonly bytes: Buffer;
  readonly #pairs: Uint16Array;
  #at = 0;
  #held = 0;
  #size = 0;

  constructor(room: number) {
    this.bytes = Buffer.alloc(room + (room & 1));
    this.#pairs = new Uint16Array(this.bytes.buffer, this.bytes.byteOffset, this.bytes.length / 2);
  }

  /** Begins anew behind `head`, which has an even length. */
  begin(head: readonly number[]): void {
    this.bytes.set(head);
    this.#at = head.length / 2;
    this.#held = 0;
    this.#size = 0;
  }

  /** A code has at most 17 bits. */
  put(code: Code): void {
    this.#held |= (code >>> 5) << this.#size;
    this.#size += code & 31;
    if (this.#size < 16) return;
    this.#pairs[this.#at++] = this.#held;
    this.#held >>>= 16;
    this.#size -= 16;
  }

  /** Answers where the next byte goes. The last byte is filled up with zeros. */
  end(): number {
    this.#pairs[this.#at] = this.#held;
    return 2 * this.#at + ((this.#size + 7) >> 3);
  }
}
