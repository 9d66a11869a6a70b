/** A glyph in thousandths of the em; y grows downwards, the baseline is 0. */
export interface Glyph {
  advance: number;
  contours: number[][];
}
