import { type Code, codeBlock, MOST_COEFFICIENTS, NEIGHBOUR_CLASSES } from './block-code.ts';

/** A change of brightness in one macroblock, ready to be written wherever it is wanted. */
export interface Overlay {
  /** Which quarters are changed, a bit each. */
  quarters: number;
  /** Coefficients of each block of 4 × 4, row by row. */
  counts: Uint8Array;
  /** Codes of each block, row by row, for each class of neighbours. */
  codes: Code[][];
  /** By how much a decoder makes each pixel brighter, row by row. */
  light: Int16Array;
}

const SIDE = 16;
const NOTHING = Array.from({ length: SIDE }, () => 0);
/** An unchanged block, for each class of neighbours. */
const EMPTY = Array.from({ length: NEIGHBOUR_CLASSES }, (_, neighbours) => codeBlock(NOTHING, neighbours));
const ZIGZAG = [0, 1, 4, 8, 5, 2, 3, 6, 9, 12, 13, 10, 7, 11, 14, 15];
/** Of the transform, for the quantiser's step 2 of 6: places where both are even, both odd, and others. */
const FACTORS = { even: 8192, odd: 3355, other: 5243 };
/** And of its reverse. */
const STEPS = { even: 13, odd: 20, other: 16 };
/** The quantiser, 38: six times doubled, and the second of six steps. What falls needs no finer one. */
const DOUBLED = 6;
/** How far it lies above 26, which is that of a picture parameter set that says nothing of it. */
export const QUANTISER_ABOVE = 12;
const SHIFT = 15 + DOUBLED;

/** `change` tells by how much (of 255) each pixel of a macroblock is to be brighter. */
export function overlayOf(change: (x: number, y: number) => number): Overlay {
  const levels = Array.from({ length: 16 }, (_, at) => levelsAt(change, (at & 3) * 4, (at >> 2) * 4));
  const counts = Uint8Array.from(levels, (block) => block.filter((level) => level !== 0).length);
  let quarters = 0;
  for (const [at, count] of counts.entries()) if (count > 0) quarters |= 1 << (((at >> 3) << 1) | ((at >> 1) & 1));
  const codes = EMPTY.map((empty, neighbours) =>
    levels.map((block, at) => (counts[at] === 0 ? empty : codeBlock(block, neighbours))),
  );
  return { quarters, counts, codes, light: lightOf(levels) };
}

/** The strongest levels of one block, in their scanning order. */
function levelsAt(change: (x: number, y: number) => number, left: number, top: number): number[] {
  const pixels = Array.from({ length: SIDE }, (_, at) => Math.round(change(left + (at & 3), top + (at >> 2))));
  if (pixels.every((pixel) => pixel === 0)) return NOTHING;
  const rows = [0, 1, 2, 3].flatMap((row) => transformed(pixels.slice(row * 4, row * 4 + 4)));
  const columns = [0, 1, 2, 3].map((column) => transformed([0, 1, 2, 3].map((row) => rows[row * 4 + column] ?? 0)));
  const levels = ZIGZAG.map((place) => quantised(columns[place & 3]?.[place >> 2] ?? 0, place));
  const strongest = [...levels.keys()]
    .sort((one, other) => Math.abs(levels[other] ?? 0) - Math.abs(levels[one] ?? 0))
    .slice(0, MOST_COEFFICIENTS);
  return levels.map((level, at) => (strongest.includes(at) ? level : 0));
}

function transformed([a = 0, b = 0, c = 0, d = 0]: number[]): number[] {
  const [sum, middle, edge, inner] = [a + d, b + c, a - d, b - c];
  return [sum + middle, 2 * edge + inner, sum - middle, edge - 2 * inner];
}

function quantised(value: number, place: number): number {
  const level = (Math.abs(value) * FACTORS[kindOf(place)] + (1 << (SHIFT - 2))) >> SHIFT;
  return value < 0 ? -level : level;
}

function kindOf(place: number): keyof typeof FACTORS {
  const odd = (place & 1) + ((place >> 2) & 1);
  return odd === 0 ? 'even' : odd === 2 ? 'odd' : 'other';
}

function lightOf(levels: readonly number[][]): Int16Array {
  const light = new Int16Array(SIDE * SIDE);
  for (const [block, own] of levels.entries()) {
    if (own === NOTHING) continue;
    const values: number[] = [];
    for (const [at, place] of ZIGZAG.entries()) values[place] = ((own[at] ?? 0) * STEPS[kindOf(place)]) << DOUBLED;
    const rows = [0, 4, 8, 12].flatMap((row) => restored(values.slice(row, row + 4)));
    for (let column = 0; column < 4; column++) {
      const pixels = restored([0, 4, 8, 12].map((row) => rows[row + column] ?? 0));
      for (const [row, pixel] of pixels.entries()) {
        light[((block >> 2) * 4 + row) * SIDE + (block & 3) * 4 + column] = (pixel + 32) >> 6;
      }
    }
  }
  return light;
}

function restored([a = 0, b = 0, c = 0, d = 0]: number[]): number[] {
  const [sum, apart, less, more] = [a + c, a - c, (b >> 1) - d, b + (d >> 1)];
  return [sum + more, apart + less, apart - less, sum - more];
}
