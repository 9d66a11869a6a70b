import { BitWriter } from './bit-writer.ts';
import type { Code } from './block-code.ts';
import { nalUnit } from './nal-unit.ts';
import type { Overlay } from './overlay.ts';
import { FRAME_NUMBER_BITS, ORDER_BITS, OWN_PICTURE_SET } from './stream-parameters.ts';

/** Where each macroblock of some rows is taken from in the key picture: x and y in turn, in quarter pixels. */
export interface MotionField {
  columns: number;
  firstRow: number;
  rows: number;
  vectors: Int16Array;
  /** What is laid over macroblocks, by their place in the field. */
  overlays?: readonly (Overlay | undefined)[];
}

/** The picture that a slice belongs to. */
export interface MovedPicture {
  /** Twice its place after the key picture. */
  order: number;
  /** Pictures that others look at, since the key picture. */
  number: number;
  /** Whether the pictures that come later look at it instead of at the key picture. */
  isReference: boolean;
}

const P_SLICE = 5;
const SIXTEEN_BY_SIXTEEN = 0;
/** Of 4 × 4 pixels, in a macroblock. */
const BLOCKS = 16;
/** In which these are written. */
const ORDER = Array.from({ length: BLOCKS }, (_, block) => ({
  quarter: block >> 2,
  across: (block & 1) | ((block >> 1) & 2),
  down: ((block >> 1) & 1) | ((block >> 2) & 2),
}));
/** How `coded_block_pattern` is numbered in pictures that are predicted from others, without colours. */
const PATTERNS = [0, 2, 3, 7, 4, 8, 17, 13, 5, 18, 9, 14, 10, 15, 16, 11];

/** A slice that shows parts of the key picture moved, and nothing new but a little light. */
export class MotionSlice {
  readonly #bits: BitWriter;
  readonly #field: MotionField;
  #skipped = 0;
  /** Coefficients of each block of 4 × 4, as far as written. */
  readonly #counts: Uint8Array;

  constructor(field: MotionField) {
    this.#field = field;
    this.#bits = new BitWriter(1024);
    this.#counts = new Uint8Array(field.overlays ? field.columns * field.rows * BLOCKS : 0);
  }

  write({ order, number, isReference }: MovedPicture): Buffer {
    const { columns, firstRow, rows } = this.#field;
    this.#bits.putUnsigned(firstRow * columns);
    this.#bits.putUnsigned(P_SLICE);
    this.#bits.putUnsigned(OWN_PICTURE_SET);
    this.#bits.put(number, FRAME_NUMBER_BITS);
    this.#bits.put(order, ORDER_BITS);
    this.#bits.put(0b00, isReference ? 3 : 2);
    this.#bits.putSigned(0);
    this.#bits.putUnsigned(1);
    for (let row = 0; row < rows; row++) {
      for (let column = 0; column < columns; column++) this.#macroblock(column, row);
    }
    if (this.#skipped > 0) this.#bits.putUnsigned(this.#skipped);
    return nalUnit(isReference ? 0x41 : 0x01, this.#bits.finish());
  }

  #macroblock(column: number, row: number): void {
    const { columns, vectors, overlays } = this.#field;
    const at = (row * columns + column) * 2;
    const x = vectors[at] ?? 0;
    const y = vectors[at + 1] ?? 0;
    const predictedX = this.#predict(column, row, 0);
    const predictedY = this.#predict(column, row, 1);
    const overlay = overlays?.[at / 2];
    const skipped = this.#skipsToRest(column, row, at) ? x === 0 && y === 0 : x === predictedX && y === predictedY;
    if (skipped && !overlay) {
      this.#skipped++;
      return;
    }
    this.#bits.putUnsigned(this.#skipped);
    this.#skipped = 0;
    this.#bits.putUnsigned(SIXTEEN_BY_SIXTEEN);
    this.#bits.putSigned(x - predictedX);
    this.#bits.putSigned(y - predictedY);
    this.#bits.putUnsigned(PATTERNS[overlay?.quarters ?? 0] ?? 0);
    if (overlay) this.#overlay(overlay, column, row);
  }

  /** Blocks quarter by quarter; how many coefficients one has is coded after how many there are left of it and above. */
  #overlay({ quarters, counts, codes }: Overlay, column: number, row: number): void {
    const wide = this.#field.columns * 4;
    this.#bits.putSigned(0);
    for (const { quarter, across, down } of ORDER) {
      if (((quarters >> quarter) & 1) === 0) continue;
      const block = down * 4 + across;
      const at = (row * 4 + down) * wide + column * 4 + across;
      this.#counts[at] = counts[block] ?? 0;
      const left = column + across > 0 ? this.#counts[at - 1] : undefined;
      const above = row + down > 0 ? this.#counts[at - wide] : undefined;
      this.#code(codes[classOf(left, above)]?.[block] ?? []);
    }
  }

  #code(code: Code): void {
    for (let part = 0; part < code.length; part += 2) this.#bits.put(code[part] ?? 0, code[part + 1] ?? 0);
  }

  /** A skipped macroblock rests where a neighbour is missing or rests; elsewhere it moves as predicted. */
  #skipsToRest(column: number, row: number, at: number): boolean {
    if (column === 0 || row === 0) return true;
    const { columns, vectors } = this.#field;
    const above = at - columns * 2;
    return (vectors[at - 2] === 0 && vectors[at - 1] === 0) || (vectors[above] === 0 && vectors[above + 1] === 0);
  }

  /** The median of the neighbours left, above and above right (else above left); one alone counts as it is. */
  #predict(column: number, row: number, part: number): number {
    const { columns, vectors } = this.#field;
    const at = (row * columns + column) * 2 + part;
    const left = column > 0 ? (vectors[at - 2] ?? 0) : 0;
    if (row === 0) return left;
    const above = vectors[at - columns * 2] ?? 0;
    if (column === 0 && columns === 1) return above;
    const corner = column < columns - 1 ? at - columns * 2 + 2 : at - columns * 2 - 2;
    return median(left, above, vectors[corner] ?? 0);
  }
}

/** From the coefficients of the neighbours; one that is missing does not count. */
function classOf(left: number | undefined, above: number | undefined): number {
  if (left === undefined || above === undefined) return (left ?? above ?? 0) >> 1;
  return (left + above + 1) >> 2;
}

function median(a: number, b: number, c: number): number {
  if (a > b) return b > c ? b : Math.min(a, c);
  return a > c ? a : Math.min(b, c);
}
