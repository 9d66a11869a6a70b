import { BlockCoder } from './block-coder.ts';
import { apart, MEAN_STEP, meanLevel } from './quantiser.ts';
import { classOf, type ResidualWriter } from './residual-writer.ts';

const SIDE = 16;
const BLOCKS = 16;
const MEANS_IN_ORDER = [0, 1, 4, 8, 5, 2, 3, 6, 9, 12, 13, 10, 7, 11, 14, 15];
/** How blocks follow each other in a macroblock, as places in it row by row. */
const ORDER = [0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15];
export const [FROM_ABOVE, FROM_LEFT, MEAN] = [0, 1, 2];
const NO_BORDER = 128;

/** Codes the brightness of macroblocks, each as a whole predicted from its borders (Intra16x16). */
export class IntraLuma {
  readonly #bytes: Uint8Array;
  readonly #words: Int32Array;
  readonly #wide: number;
  readonly #predicted = new Uint8Array(SIDE * SIDE);
  /** The same, four in each. */
  readonly #foreseen = new Int32Array(this.#predicted.buffer);
  readonly #blocks: BlockCoder;
  readonly #means = new Int32Array(BLOCKS);
  /** Coefficients of the blocks above, of all macroblocks, and of those to the left; negative beyond the picture. */
  readonly #above: Int8Array;
  readonly #left = new Int8Array(4);
  #column = 0;
  /** Whether any mean is written, and of which blocks more than that, a bit each. */
  #hasMeans = false;
  #rest = 0;

  constructor(bytes: Uint8Array, wide: number) {
    this.#bytes = bytes;
    this.#words = new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length >> 2);
    this.#wide = wide;
    this.#blocks = new BlockCoder({ bytes, wide, predicted: this.#predicted, side: SIDE });
    this.#above = new Int8Array(wide >> 2).fill(-1);
  }

  /** Whether more than the means is written of the macroblock that was predicted last. */
  get hasBlocks(): boolean {
    return this.#rest !== 0;
  }

  /** Predicts, quantises and restores a macroblock; answers how it is predicted. */
  predict(column: number, row: number): number {
    const at = row * SIDE * this.#wide + column * SIDE;
    this.#column = column;
    if (column === 0) this.#left.fill(-1);
    this.#rest = 0;
    this.#hasMeans = false;
    const known = this.#knownColour(at, column > 0, row > 0);
    if (known >= 0) return known;
    const mode = this.#choose(at, column > 0, row > 0);
    this.#quantise(at);
    return mode;
  }

  /** Means first, then the blocks, if there are any. */
  write(writer: ResidualWriter): void {
    const [above, left] = [this.#above, this.#left];
    const first = this.#column * 4;
    const meanClass = classOf(left[0] as number, above[first] as number);
    if (this.#hasMeans) writer.write(this.#means, 0, BLOCKS, meanClass);
    else writer.writeNone(meanClass);
    if (this.#rest === 0) {
      for (let at = 0; at < 4; at++) {
        left[at] = 0;
        above[first + at] = 0;
      }
      return;
    }
    for (let at = 0; at < BLOCKS; at++) {
      const block = ORDER[at] as number;
      const x = first + (block & 3);
      const y = block >> 2;
      const neighbours = classOf(left[y] as number, above[x] as number);
      let count = 0;
      if ((this.#rest >> block) & 1) count = writer.write(this.#blocks.levels, block * 16 + 1, 15, neighbours);
      else writer.writeNone(neighbours);
      left[y] = count;
      above[x] = count;
    }
  }

  /** How a macroblock of one colour is predicted that goes on from above or from the left; -1 for all others. */
  #knownColour(at: number, hasLeft: boolean, hasAbove: boolean): number {
    const light = this.#bytes[at] as number;
    const wide = this.#wide >> 2;
    const from = at >> 2;
    const colour = (light * 0x01010101) >> 0;
    for (let row = 0, word = from; row < SIDE; row++, word += wide) if (!this.#isOf(colour, word)) return -1;
    if (hasAbove && this.#isOf(colour, from - wide)) return FROM_ABOVE;
    if (!hasLeft) return -1;
    for (let y = 0, beside = at - 1; y < SIDE; y++, beside += this.#wide) if (this.#bytes[beside] !== light) return -1;
    return FROM_LEFT;
  }

  /** Whether a row of a macroblock is of one colour. */
  #isOf(colour: number, word: number): boolean {
    const words = this.#words;
    if (words[word] !== colour || words[word + 1] !== colour) return false;
    return words[word + 2] === colour && words[word + 3] === colour;
  }

  /** Predicts in the way that leaves the least; answers it. */
  #choose(at: number, hasLeft: boolean, hasAbove: boolean): number {
    const bytes = this.#bytes;
    const words = this.#words;
    const wide = this.#wide;
    const mean = this.#mean(at, hasLeft, hasAbove);
    let fromAbove = 0;
    let fromLeft = 0;
    let fromMean = 0;
    for (let x = 0; x < SIDE; x += 4) {
      const over = at - wide + x;
      const above = hasAbove ? (words[over >> 2] as number) : 0;
      // Every other row tells enough.
      for (let y = 0, row = at; y < SIDE; y += 2, row += 2 * wide) {
        const beside = hasLeft ? (bytes[row - 1] as number) : 0;
        const four = words[(row + x) >> 2] as number;
        fromMean += apart(four, Math.imul(mean, 0x01010101));
        fromLeft += apart(four, Math.imul(beside, 0x01010101));
        fromAbove += apart(four, above);
      }
    }
    const least = Math.min(fromMean, hasLeft ? fromLeft : Infinity, hasAbove ? fromAbove : Infinity);
    const mode = least === fromMean ? MEAN : hasLeft && least === fromLeft ? FROM_LEFT : FROM_ABOVE;
    this.#fill(at, mode, mean);
    return mode;
  }

  #mean(at: number, hasLeft: boolean, hasAbove: boolean): number {
    if (!hasLeft && !hasAbove) return NO_BORDER;
    const wide = this.#wide;
    let sum = 0;
    if (hasAbove) for (let x = 0; x < SIDE; x++) sum += this.#bytes[at - wide + x] as number;
    if (hasLeft) for (let y = 0; y < SIDE; y++) sum += this.#bytes[at + y * wide - 1] as number;
    return hasLeft && hasAbove ? (sum + 16) >> 5 : (sum + 8) >> 4;
  }

  #fill(at: number, mode: number, mean: number): void {
    const wide = this.#wide;
    const words = this.#words;
    const foreseen = this.#foreseen;
    const above = (at - wide) >> 2;
    for (let y = 0, to = 0; y < SIDE; y++, to += 4) {
      const light = mode === FROM_LEFT ? (this.#bytes[at + y * wide - 1] as number) : mean;
      const four = Math.imul(light, 0x01010101);
      for (let x = 0; x < 4; x++) foreseen[to + x] = mode === FROM_ABOVE ? (words[above + x] as number) : four;
    }
  }

  #quantise(at: number): void {
    const blocks = this.#blocks;
    let rest = 0;
    for (let block = 0; block < BLOCKS; block++) {
      const x = (block & 3) * 4;
      const y = (block >> 2) * 4;
      const isVaried = blocks.transform(block, at + y * this.#wide + x, y * SIDE + x);
      if (isVaried && blocks.quantise(block)) rest |= 1 << block;
    }
    this.#rest = rest;
    this.#quantiseMeans();
    for (let block = 0; block < BLOCKS; block++) {
      const x = (block & 3) * 4;
      const y = (block >> 2) * 4;
      const to = at + y * this.#wide + x;
      const from = y * SIDE + x;
      if ((rest >> block) & 1) blocks.restore(block, to, from);
      else blocks.restoreMean(block, to, from);
    }
  }

  /** Means are transformed once more among themselves. */
  #quantiseMeans(): void {
    const values = this.#blocks.coefficients;
    turn(values);
    let any = 0;
    for (let at = 0; at < BLOCKS; at++) {
      const place = MEANS_IN_ORDER[at] as number;
      const level = meanLevel(((values[place * 16] as number) + 1) >> 1);
      any |= level;
      this.#means[at] = level;
      values[place * 16] = level;
    }
    this.#hasMeans = any !== 0;
    if (any === 0) return;
    turn(values);
    for (let block = 0; block < BLOCKS; block++) {
      values[block * 16] = ((values[block * 16] as number) * MEAN_STEP) >> 2;
    }
  }
}

/** The transform of 4 × 4 means, which is its own reverse; each stands at the beginning of its block. */
function turn(values: Int32Array): void {
  for (let row = 0; row < BLOCKS; row += 4) turnFour(values, row * 16, 16);
  for (let column = 0; column < 4; column++) turnFour(values, column * 16, 64);
}

function turnFour(values: Int32Array, at: number, step: number): void {
  const a = values[at] as number;
  const b = values[at + step] as number;
  const c = values[at + 2 * step] as number;
  const d = values[at + 3 * step] as number;
  values[at] = a + b + c + d;
  values[at + step] = a + b - c - d;
  values[at + 2 * step] = a - b - c + d;
  values[at + 3 * step] = a - b + c - d;
}
