import type { BitWriter } from '../bit-writer.ts';
import { CHROMA_MEANS, CHROMA_ZEROS, MOST, type Pair, RUNS, TOKENS, ZEROS } from './block-code.ts';

/** Length and bits of a code in one number, so that a table is an array of numbers. */
const SIZE_BITS = 5;
const TOKEN_TABLE = packed(TOKENS.flatMap((rows) => padded(rows, 17, 4)));
const ZERO_TABLE = packed(padded(ZEROS, 15, 16));
const CHROMA_ZERO_TABLE = packed(padded(CHROMA_ZEROS, 3, 16));
const RUN_TABLE = packed(padded(RUNS, 7, 16));
const LONGEST_SUFFIX = 6;

/** Writes blocks of levels as CAVLC codes them; its memory is used again for each block. */
export class ResidualWriter {
  readonly #bits: BitWriter;
  /** Levels that are not zero and their places, the highest place first. */
  readonly #levels = new Int32Array(16);
  readonly #places = new Int32Array(16);

  constructor(bits: BitWriter) {
    this.#bits = bits;
  }

  /** Writes `length` levels from `start` on, in their scanning order, among neighbours of a class; answers how many are not zero. */
  write(levels: Int32Array, start: number, length: number, neighbours: number): number {
    let count = 0;
    for (let at = length - 1; at >= 0; at--) {
      const level = levels[start + at] as number;
      if (level === 0) continue;
      this.#levels[count] = level;
      this.#places[count++] = at;
    }
    const ones = this.#ones(count);
    this.#put(TOKEN_TABLE, (neighbours * 17 + count) * 4 + ones);
    if (count === 0) return 0;
    for (let at = 0; at < ones; at++) this.#bits.put((this.#levels[at] as number) < 0 ? 1 : 0, 1);
    this.#putLevels(count, ones);
    if (count < length) this.#putPlaces(count, neighbours === CHROMA_MEANS ? CHROMA_ZERO_TABLE : ZERO_TABLE);
    return count;
  }

  /** A block in which there is nothing. */
  writeNone(neighbours: number): void {
    this.#put(TOKEN_TABLE, neighbours * 17 * 4);
  }

  #ones(count: number): number {
    let ones = 0;
    while (ones < count && ones < 3 && (this.#levels[ones] === 1 || this.#levels[ones] === -1)) ones++;
    return ones;
  }

  #putLevels(count: number, ones: number): void {
    let suffix = count > 10 && ones < 3 ? 1 : 0;
    for (let at = ones; at < count; at++) {
      const level = this.#levels[at] as number;
      // The first that is not one of the ones is no one, unless there are three of them already.
      const known = at === ones && ones < 3 ? 2 : 0;
      this.#putLevel((level > 0 ? 2 * level - 2 : -2 * level - 1) - known, suffix);
      if (suffix === 0) suffix = 1;
      if (suffix < LONGEST_SUFFIX && Math.abs(level) > 3 << (suffix - 1)) suffix++;
    }
  }

  /** A prefix of zeros and a one, and the rest in so many bits as the levels before have led to; large ones in 12. */
  #putLevel(value: number, suffix: number): void {
    const bits = this.#bits;
    const least = suffix === 0 ? 30 : 15 << suffix;
    if (value >= least) bits.put((1 << 12) | (value - least), 28);
    else if (suffix > 0) bits.put((1 << suffix) | (value & ((1 << suffix) - 1)), (value >> suffix) + 1 + suffix);
    else if (value < 14) bits.put(1, value + 1);
    else bits.put((1 << 4) | (value - 14), 19);
  }

  /** How many zeros lie below the last of them, and before each. */
  #putPlaces(count: number, table: Int32Array): void {
    const places = this.#places;
    let zeros = (places[0] as number) + 1 - count;
    this.#put(table, (count - 1) * 16 + zeros);
    for (let at = 0; at + 1 < count && zeros > 0; at++) {
      const run = (places[at] as number) - (places[at + 1] as number) - 1;
      this.#put(RUN_TABLE, (Math.min(zeros, 7) - 1) * 16 + run);
      zeros -= run;
    }
  }

  #put(table: Int32Array, at: number): void {
    const code = table[at] as number;
    this.#bits.put(code >>> SIZE_BITS, code & ((1 << SIZE_BITS) - 1));
  }
}

/** The class of a block from the coefficients of its neighbours, of which those that are missing are negative. */
export function classOf(left: number, above: number): number {
  const count = left < 0 || above < 0 ? Math.max(left, above, 0) : (left + above + 1) >> 1;
  return count < 2 ? 0 : count < 4 ? 1 : count < 8 ? 2 : MOST;
}

function padded(rows: readonly (readonly Pair[])[], height: number, width: number): Pair[] {
  const none: Pair = [0, 0];
  return Array.from({ length: height * width }, (_, at) => rows[Math.floor(at / width)]?.[at % width] ?? none);
}

function packed(pairs: readonly Pair[]): Int32Array {
  return Int32Array.from(pairs, ([size, bits]) => (bits << SIZE_BITS) | size);
}
