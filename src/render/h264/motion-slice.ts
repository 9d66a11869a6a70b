import { BitWriter } from './bit-writer.ts';
import { nalUnit } from './nal-unit.ts';
import { FRAME_NUMBER_BITS, ORDER_BITS, OWN_PICTURE_SET } from './stream-parameters.ts';

/** Where each macroblock of some rows is taken from in the key picture: x and y in turn, in quarter pixels. */
export interface MotionField {
  columns: number;
  firstRow: number;
  rows: number;
  vectors: Int16Array;
}

const P_SLICE = 5;
const SIXTEEN_BY_SIXTEEN = 0;

/** A slice that shows parts of the key picture moved, and nothing new. */
export class MotionSlice {
  readonly #bits: BitWriter;
  readonly #field: MotionField;
  #skipped = 0;

  constructor(field: MotionField) {
    this.#field = field;
    this.#bits = new BitWriter(1024);
  }

  /** `order` is twice the place after the key picture. */
  write(order: number): Buffer {
    const { columns, firstRow, rows } = this.#field;
    this.#bits.putUnsigned(firstRow * columns);
    this.#bits.putUnsigned(P_SLICE);
    this.#bits.putUnsigned(OWN_PICTURE_SET);
    this.#bits.put(1, FRAME_NUMBER_BITS);
    this.#bits.put(order, ORDER_BITS);
    this.#bits.put(0b00, 2);
    this.#bits.putSigned(0);
    this.#bits.putUnsigned(1);
    for (let row = 0; row < rows; row++) {
      for (let column = 0; column < columns; column++) this.#macroblock(column, row);
    }
    if (this.#skipped > 0) this.#bits.putUnsigned(this.#skipped);
    return nalUnit(0x01, this.#bits.finish());
  }

  #macroblock(column: number, row: number): void {
    const { columns, vectors } = this.#field;
    const at = (row * columns + column) * 2;
    const x = vectors[at] ?? 0;
    const y = vectors[at + 1] ?? 0;
    const predictedX = this.#predict(column, row, 0);
    const predictedY = this.#predict(column, row, 1);
    const still = this.#skipsToRest(column, row, at);
    if (still ? x === 0 && y === 0 : x === predictedX && y === predictedY) {
      this.#skipped++;
      return;
    }
    this.#bits.putUnsigned(this.#skipped);
    this.#skipped = 0;
    this.#bits.putUnsigned(SIXTEEN_BY_SIXTEEN);
    this.#bits.putSigned(x - predictedX);
    this.#bits.putSigned(y - predictedY);
    this.#bits.putUnsigned(0);
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

function median(a: number, b: number, c: number): number {
  if (a > b) return b > c ? b : Math.min(a, c);
  return a > c ? a : Math.min(b, c);
}
