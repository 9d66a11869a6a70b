import type { Canvas } from './canvas.ts';
import { fillRun } from './fill-run.ts';
import { EDGE_STEPS, type Palette } from './palette.ts';
import type { Contours } from './shape-edges.ts';
import type { Sink } from './sink.ts';

/** Fills a shape with smooth edges. */
export function fillShape(canvas: Canvas, contours: Contours, place: number): void {
  const frame = { left: 0, top: 0, right: canvas.width, bottom: canvas.height };
  canvas.scanner.scan(contours, frame, new Filling(canvas, place));
}

/** Writes what a shape covers; the scanner keeps to the canvas, so that nothing needs cutting off. */
class Filling implements Sink {
  readonly #pixels: Uint8Array;
  readonly #words: Int32Array;
  readonly #palette: Palette;
  readonly #width: number;
  readonly #place: number;

  constructor(canvas: Canvas, place: number) {
    this.#pixels = canvas.pixels;
    this.#words = canvas.words;
    this.#palette = canvas.palette;
    this.#width = canvas.width;
    this.#place = place;
  }

  full(y: number, left: number, right: number): void {
    const row = y * this.#width;
    const run = { start: row + left, end: row + right, place: this.#place };
    fillRun(this.#pixels, this.#words, run);
  }

  edge(x: number, y: number, step: number): void {
    const at = y * this.#width + x;
    this.#pixels[at] = step >= EDGE_STEPS ? this.#place : this.#palette.mix(this.#pixels[at] ?? 0, this.#place, step);
  }
}
