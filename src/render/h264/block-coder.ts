import { clipped, FACTORS, invert, plainColour, ROUNDING, SHIFT, STEPS } from './quantiser.ts';

const ZIGZAG = [0, 1, 4, 8, 5, 2, 3, 6, 9, 12, 13, 10, 7, 11, 14, 15];

/** Differences that are no further apart than this leave nothing but their mean: no other coefficient gets past its rounding. */
const TOO_LITTLE = 2;

/** A plane of a picture, and what is predicted of one macroblock of it, in rows of so many pixels. */
export interface CodedPlane {
  bytes: Uint8Array;
  wide: number;
  predicted: Uint8Array;
  side: number;
}

/** Turns the difference between pixels and their prediction into levels, and puts in place of the pixels what a decoder will see. */
export class BlockCoder {
  readonly #plane: CodedPlane;
  /** The same pixels, four in each. */
  readonly #words: Int32Array;
  readonly #predicted: Int32Array;
  /** Of each block of 4 × 4, row by row; the first one is its mean. */
  readonly coefficients: Int32Array;
  /** The same, quantised and in their scanning order; of blocks of which more than a mean is left, and without it. */
  readonly levels: Int32Array;

  constructor(plane: CodedPlane) {
    const { bytes, predicted } = plane;
    this.#plane = plane;
    this.#words = new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length >> 2);
    this.#predicted = new Int32Array(predicted.buffer, predicted.byteOffset, predicted.length >> 2);
    const count = predicted.length;
    this.coefficients = new Int32Array(count);
    this.levels = new Int32Array(count);
  }

  /**
   * Transforms the block whose first pixel is at `at` in the plane and at `from` in the prediction. Answers whether there
   * may be more in it than a mean: most of what is drawn is of one colour, and as far from its prediction everywhere.
   */
  transform(block: number, at: number, from: number): boolean {
    const { bytes, wide, predicted, side } = this.#plane;
    const out = this.coefficients;
    const to = block << 4;
    const colour = plainColour(this.#words, at >> 2, wide >> 2);
    const foreseen = colour < 0 ? -1 : plainColour(this.#predicted, from >> 2, side >> 2);
    if (foreseen >= 0) {
      out[to] = (colour - foreseen) << 4;
      return false;
    }
    if (this.#isNearlyPlain(to, at, from)) return false;
    for (let y = 0, p = at, q = from; y < 4; y++, p += wide, q += side) {
      const a = (bytes[p] as number) - (predicted[q] as number);
      const b = (bytes[p + 1] as number) - (predicted[q + 1] as number);
      const c = (bytes[p + 2] as number) - (predicted[q + 2] as number);
      const d = (bytes[p + 3] as number) - (predicted[q + 3] as number);
      const row = to + (y << 2);
      out[row] = a + d + b + c;
      out[row + 1] = 2 * (a - d) + (b - c);
      out[row + 2] = a + d - b - c;
      out[row + 3] = a - d - 2 * (b - c);
    }
    for (let column = to; column < to + 4; column++) {
      const a = out[column] as number;
      const b = out[column + 4] as number;
      const c = out[column + 8] as number;
      const d = out[column + 12] as number;
      out[column] = a + d + b + c;
      out[column + 4] = 2 * (a - d) + (b - c);
      out[column + 8] = a + d - b - c;
      out[column + 12] = a - d - 2 * (b - c);
    }
    return true;
  }

  /** Whether nothing but a mean, which it puts down, can be left of a block. */
  #isNearlyPlain(to: number, at: number, from: number): boolean {
    const { bytes, wide, predicted, side } = this.#plane;
    let sum = 0;
    let least = 255;
    let most = -255;
    for (let y = 0, p = at, q = from; y < 4; y++, p += wide, q += side) {
      for (let x = 0; x < 4; x++) {
        const apart = (bytes[p + x] as number) - (predicted[q + x] as number);
        sum += apart;
        if (apart < least) least = apart;
        if (apart > most) most = apart;
      }
      if (most - least > TOO_LITTLE) return false;
    }
    this.coefficients[to] = sum;
    return true;
  }

  /** Quantises all but the mean, and what it quantises back to what a decoder will read; answers whether anything is left. */
  quantise(block: number): boolean {
    const { coefficients, levels } = this;
    const to = block << 4;
    let any = 0;
    for (let at = 1; at < 16; at++) {
      const place = ZIGZAG[at] as number;
      const value = coefficients[to + place] as number;
      const size = (Math.abs(value) * (FACTORS[place] as number) + ROUNDING) >> SHIFT;
      any |= size;
      const level = value < 0 ? -size : size;
      levels[to + at] = level;
      coefficients[to + place] = level * (STEPS[place] as number);
    }
    return any !== 0;
  }

  /** What a decoder makes of the coefficients, mean and all, written into the plane. */
  restore(block: number, at: number, from: number): void {
    const { bytes, wide, predicted, side } = this.#plane;
    const values = this.coefficients;
    const to = block << 4;
    for (let row = to; row < to + 16; row += 4) invert(values, row, 1);
    for (let column = to; column < to + 4; column++) invert(values, column, 4);
    for (let y = 0; y < 4; y++) {
      for (let x = 0; x < 4; x++) {
        const light = ((values[to + y * 4 + x] as number) + 32) >> 6;
        bytes[at + y * wide + x] = clipped((predicted[from + y * side + x] as number) + light);
      }
    }
  }

  /** The same for a block of which nothing but the mean is left. */
  restoreMean(block: number, at: number, from: number): void {
    const { bytes, wide, predicted, side } = this.#plane;
    const light = ((this.coefficients[block << 4] as number) + 32) >> 6;
    if (light === 0) {
      this.#copy(at >> 2, from >> 2);
      return;
    }
    const foreseen = plainColour(this.#predicted, from >> 2, side >> 2);
    if (foreseen >= 0) {
      const four = Math.imul(clipped(foreseen + light), 0x01010101);
      for (let y = 0, word = at >> 2; y < 4; y++, word += wide >> 2) this.#words[word] = four;
      return;
    }
    for (let y = 0; y < 4; y++) {
      for (let x = 0; x < 4; x++) {
        bytes[at + y * wide + x] = clipped((predicted[from + y * side + x] as number) + light);
      }
    }
  }

  #copy(to: number, from: number): void {
    const [words, predicted] = [this.#words, this.#predicted];
    const wide = this.#plane.wide >> 2;
    const side = this.#plane.side >> 2;
    words[to] = predicted[from] as number;
    words[to + wide] = predicted[from + side] as number;
    words[to + 2 * wide] = predicted[from + 2 * side] as number;
    words[to + 3 * wide] = predicted[from + 3 * side] as number;
  }
}
