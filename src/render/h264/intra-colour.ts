import { CHROMA_MEANS } from './block-code.ts';
import { BlockCoder } from './block-coder.ts';
import { apart, MEAN_STEP, meanLevel } from './quantiser.ts';
import { classOf, type ResidualWriter } from './residual-writer.ts';

const SIDE = 8;
const NO_BORDER = 128;
/** More than any prediction leaves. */
const NEVER = 1 << 20;
/** Ways of prediction; the first takes the mean of each quarter's own borders. */
export const [BY_MEANS, BY_LEFT, BY_ABOVE] = [0, 1, 2];

/** Codes one plane of colours of macroblocks; how they are predicted is the same for both planes, and decided outside. */
export class IntraColour {
  readonly #bytes: Uint8Array;
  readonly #words: Int32Array;
  readonly #wide: number;
  readonly #predicted = new Uint8Array(SIDE * SIDE);
  /** The same, four in each. */
  readonly #foreseen = new Int32Array(this.#predicted.buffer);
  readonly #blocks: BlockCoder;
  readonly #means = new Int32Array(4);
  readonly #above: Int8Array;
  readonly #left = new Int8Array(2);
  #column = 0;
  #at = 0;
  #hasLeft = false;
  #hasAbove = false;
  /** Whether its means, and whether more than its means is written. */
  hasMeans = false;
  hasBlocks = false;
  /** Of which blocks more than the mean is written, a bit each. */
  #rest = 0;
  /** What each way of prediction leaves to be coded. */
  byMeans = 0;
  byLeft = 0;
  byAbove = 0;

  constructor(bytes: Uint8Array, wide: number) {
    this.#bytes = bytes;
    this.#words = new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length >> 2);
    this.#wide = wide;
    this.#blocks = new BlockCoder({ bytes, wide, predicted: this.#predicted, side: SIDE });
    this.#above = new Int8Array(wide >> 2).fill(-1);
  }

  /** Turns to a macroblock; nothing of it is to be written as yet. */
  begin(column: number, row: number): void {
    this.#column = column;
    this.#at = row * SIDE * this.#wide + column * SIDE;
    this.#hasLeft = column > 0;
    this.#hasAbove = row > 0;
    if (column === 0) this.#left.fill(-1);
    this.hasMeans = false;
    this.hasBlocks = false;
    this.#rest = 0;
  }

  /** Whether it is of one colour that goes on from above, or from the left. */
  goesOn(way: number): boolean {
    const words = this.#words;
    const wide = this.#wide >> 2;
    const from = this.#at >> 2;
    const colour = words[from] as number;
    const light = this.#bytes[this.#at] as number;
    if (colour !== (light * 0x01010101) >> 0) return false;
    for (let word = from; word < from + SIDE * wide; word += wide) {
      if (words[word] !== colour || words[word + 1] !== colour) return false;
    }
    if (way === BY_ABOVE) return this.#hasAbove && words[from - wide] === colour && words[from - wide + 1] === colour;
    if (!this.#hasLeft) return false;
    for (let y = 0, at = this.#at - 1; y < SIDE; y++, at += this.#wide) if (this.#bytes[at] !== light) return false;
    return true;
  }

  /** Measures how much each way of prediction leaves to be coded: by every other row, which tells enough. */
  measure(): void {
    const [words, foreseen] = [this.#words, this.#foreseen];
    const over = (this.#at - this.#wide) >> 2;
    this.#predictMeans();
    let byMeans = 0;
    let byLeft = 0;
    let byAbove = 0;
    for (let y = 0, row = this.#at; y < SIDE; y += 2, row += 2 * this.#wide) {
      const beside = this.#hasLeft ? (this.#bytes[row - 1] as number) : 0;
      for (let x = 0; x < 2; x++) {
        const four = words[(row >> 2) + x] as number;
        byMeans += apart(four, foreseen[2 * y + x] as number);
        byLeft += apart(four, Math.imul(beside, 0x01010101));
        byAbove += apart(four, this.#hasAbove ? (words[over + x] as number) : 0);
      }
    }
    this.byMeans = byMeans;
    this.byLeft = this.#hasLeft ? byLeft : NEVER;
    this.byAbove = this.#hasAbove ? byAbove : NEVER;
  }

  /** After `measure`: predicts in this way, quantises, and restores. */
  code(way: number): void {
    if (way !== BY_MEANS) this.#predictByBorder(way);
    const blocks = this.#blocks;
    let rest = 0;
    for (let block = 0; block < 4; block++) {
      const isVaried = blocks.transform(block, this.#at + this.#offset(block, this.#wide), this.#offset(block, SIDE));
      if (isVaried && blocks.quantise(block)) rest |= 1 << block;
    }
    this.#rest = rest;
    this.hasBlocks = rest !== 0;
    this.#quantiseMeans();
    for (let block = 0; block < 4; block++) {
      const to = this.#at + this.#offset(block, this.#wide);
      const from = this.#offset(block, SIDE);
      if ((rest >> block) & 1) blocks.restore(block, to, from);
      else blocks.restoreMean(block, to, from);
    }
  }

  writeMeans(writer: ResidualWriter): void {
    if (this.hasMeans) writer.write(this.#means, 0, 4, CHROMA_MEANS);
    else writer.writeNone(CHROMA_MEANS);
  }

  writeBlocks(writer: ResidualWriter, isCoded: boolean): void {
    const [above, left] = [this.#above, this.#left];
    const first = this.#column * 2;
    for (let block = 0; block < 4; block++) {
      const x = first + (block & 1);
      const y = block >> 1;
      const neighbours = classOf(left[y] as number, above[x] as number);
      let count = 0;
      if ((this.#rest >> block) & 1) count = writer.write(this.#blocks.levels, block * 16 + 1, 15, neighbours);
      else if (isCoded) writer.writeNone(neighbours);
      left[y] = count;
      above[x] = count;
    }
  }

  #offset(block: number, wide: number): number {
    return (block >> 1) * 4 * wide + (block & 1) * 4;
  }

  #predictByBorder(way: number): void {
    const [wide, at, foreseen] = [this.#wide, this.#at, this.#foreseen];
    const above = (at - wide) >> 2;
    for (let y = 0; y < SIDE; y++) {
      const beside = way === BY_LEFT ? Math.imul(this.#bytes[at + y * wide - 1] as number, 0x01010101) : 0;
      foreseen[2 * y] = way === BY_ABOVE ? (this.#words[above] as number) : beside;
      foreseen[2 * y + 1] = way === BY_ABOVE ? (this.#words[above + 1] as number) : beside;
    }
  }

  /** Each quarter by the mean of its borders: those on the diagonal by both, the others by that of the picture's side they lie at. */
  #predictMeans(): void {
    for (let block = 0; block < 4; block++) {
      const x = (block & 1) * 4;
      const y = (block >> 1) * 4;
      const above = this.#hasAbove ? this.#sum(this.#at - this.#wide + x, 1) : -1;
      const left = this.#hasLeft ? this.#sum(this.#at + y * this.#wide - 1, this.#wide) : -1;
      const mean = meanOf(block === 1 && above >= 0 ? -1 : left, block === 2 && left >= 0 ? -1 : above);
      const four = Math.imul(mean, 0x01010101);
      const to = (y * SIDE + x) >> 2;
      for (let row = 0; row < 4; row++) this.#foreseen[to + 2 * row] = four;
    }
  }

  #sum(at: number, step: number): number {
    const bytes = this.#bytes;
    return (
      (bytes[at] as number) +
      (bytes[at + step] as number) +
      (bytes[at + 2 * step] as number) +
      (bytes[at + 3 * step] as number)
    );
  }

  #quantiseMeans(): void {
    const values = this.#blocks.coefficients;
    turn(values);
    let any = 0;
    for (let block = 0; block < 4; block++) {
      const level = meanLevel(values[block * 16] as number);
      any |= level;
      this.#means[block] = level;
      values[block * 16] = level;
    }
    this.hasMeans = any !== 0;
    if (any === 0) return;
    turn(values);
    for (let block = 0; block < 4; block++) values[block * 16] = ((values[block * 16] as number) * MEAN_STEP) >> 1;
  }
}

function meanOf(left: number, above: number): number {
  if (left >= 0 && above >= 0) return (left + above + 4) >> 3;
  const sum = Math.max(left, above);
  return sum < 0 ? NO_BORDER : (sum + 2) >> 2;
}

/** The transform of 2 × 2 means, which is its own reverse; each stands at the beginning of its block. */
function turn(values: Int32Array): void {
  const [a, b, c, d] = [values[0] as number, values[16] as number, values[32] as number, values[48] as number];
  values[0] = a + b + c + d;
  values[16] = a - b + c - d;
  values[32] = a + b - c - d;
  values[48] = a - b - c + d;
}
