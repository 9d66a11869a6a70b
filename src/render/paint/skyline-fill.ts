import type { Canvas } from './canvas.ts';
import { EDGE_STEPS } from './palette.ts';

const BLOCK = 16;

/** Fills what lies below a line that has one height in each column. Blocks of columns that are wholly above or below are passed over. */
export class SkylineFill {
  readonly #canvas: Canvas;
  readonly #tops: Float32Array;
  readonly #highest: Float32Array;
  readonly #lowest: Float32Array;

  /** `tops` are heights in pixels, one for each column of the canvas. */
  constructor(canvas: Canvas, tops: Float32Array) {
    this.#canvas = canvas;
    this.#tops = tops;
    const blocks = Math.ceil(tops.length / BLOCK);
    this.#highest = new Float32Array(blocks);
    this.#lowest = new Float32Array(blocks);
    for (let block = 0; block < blocks; block++) {
      let [highest, lowest] = [Infinity, -Infinity];
      for (let at = block * BLOCK; at < Math.min(tops.length, (block + 1) * BLOCK); at++) {
        highest = Math.min(highest, tops[at] ?? 0);
        lowest = Math.max(lowest, tops[at] ?? 0);
      }
      this.#highest[block] = highest;
      this.#lowest[block] = lowest;
    }
  }

  /** Shades follow each other from the highest point down, over `depth` pixels; the last one goes on. */
  paint(places: readonly number[], depth: number): void {
    const start = Math.min(...this.#highest);
    const end = Math.max(...this.#lowest);
    for (let y = Math.max(0, Math.floor(start)); y < this.#canvas.height; y++) {
      const shade = Math.min(places.length - 1, Math.max(0, Math.floor(((y - start) / depth) * places.length)));
      const place = places[shade] ?? 0;
      if (y >= end) this.#canvas.fillRow(y, 0, this.#canvas.width, place);
      else this.#paintRow(y, place);
    }
  }

  #paintRow(y: number, place: number): void {
    let open = -1;
    for (let block = 0; block < this.#highest.length; block++) {
      const from = block * BLOCK;
      if ((this.#lowest[block] ?? 0) <= y) {
        if (open < 0) open = from;
        continue;
      }
      if (open >= 0) this.#canvas.fillRow(y, open, from, place);
      open = -1;
      if ((this.#highest[block] ?? 0) < y + 1) this.#paintBlock(y, from, place);
    }
    if (open >= 0) this.#canvas.fillRow(y, open, this.#canvas.width, place);
  }

  #paintBlock(y: number, from: number, place: number): void {
    const to = Math.min(from + BLOCK, this.#tops.length);
    for (let x = from; x < to; x++) {
      const covered = y + 1 - (this.#tops[x] ?? 0);
      if (covered > 0) this.#canvas.touch(x, y, place, Math.round(Math.min(1, covered) * EDGE_STEPS));
    }
  }
}
