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

  /** A code has at most 16 bits. */
  put(code: Code): void {
    this.#held |= (code >>> 5) << this.#size;
    this.#size += code & 31;
    // Written always, and over again until it is whole: a question would be slower, for no processor guesses its answer.
    this.#pairs[this.#at] = this.#held;
    const whole = this.#size >> 4;
    this.#at += whole;
    this.#held >>>= whole << 4;
    this.#size &= 15;
  }

  /** Answers where the next byte goes. The last byte is filled up with zeros. */
  end(): number {
    this.#pairs[this.#at] = this.#held;
    return 2 * this.#at + ((this.#size + 7) >> 3);
  }
}
