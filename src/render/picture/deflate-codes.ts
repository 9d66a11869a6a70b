/**
 * Deflate's codes that need no table of their own (RFC 1951, 3.2.6), as they are written: bits turned round, with their
 * further bits behind them, shifted left by 5, and in the lowest five bits how many they are.
 */
export type Code = number;

export const LONGEST = 258;

/** First length and number of further bits of each length symbol from 257 on. */
const LENGTHS: readonly (readonly [first: number, bits: number])[] = [
  ...Array.from({ length: 8 }, (_, at) => [3 + at, 0] as const),
  ...[1, 2, 3, 4, 5].flatMap((bits) => [0, 1, 2, 3].map((at) => [3 + ((4 + at) << bits), bits] as const)),
];

/** A byte from 0 to 255, or 256: the end of the block. */
export function literalCode(symbol: number): Code {
  if (symbol < 144) return (reversed(48 + symbol, 8) << 5) | 8;
  if (symbol < 256) return (reversed(400 + symbol - 144, 9) << 5) | 9;
  if (symbol < 280) return (reversed(symbol - 256, 7) << 5) | 7;
  return (reversed(192 + symbol - 280, 8) << 5) | 8;
}

/** A length from 3 to 258. */
export function lengthCode(length: number): Code {
  if (length === LONGEST) return literalCode(285);
  const index = LENGTHS.findLastIndex(([first]) => first <= length);
  const [first, bits] = LENGTHS[index] ?? [3, 0];
  const code = literalCode(257 + index);
  const size = code & 31;
  return (((code >>> 5) | ((length - first) << size)) << 5) | (size + bits);
}

/** A distance from 1 on. */
export function distanceCode(distance: number): Code {
  if (distance <= 2) return (reversed(distance - 1, 5) << 5) | 5;
  const power = 31 - Math.clz32(distance - 1);
  const symbol = 2 * power + (((distance - 1) >> (power - 1)) & 1);
  const rest = (distance - 1) & ((1 << (power - 1)) - 1);
  return ((reversed(symbol, 5) | (rest << 5)) << 5) | (5 + power - 1);
}

function reversed(value: number, bits: number): number {
  let turned = 0;
  for (let bit = 0; bit < bits; bit++) turned |= ((value >> bit) & 1) << (bits - 1 - bit);
  return turned;
}

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
