import { EDGE_STEPS, type Palette } from './palette.ts';
import type { Contours, Sink } from './shape-edges.ts';
import { ShapeScanner } from './shape-scanner.ts';

/** A colour of which `step` eighths lie over what is there. */
interface Glass {
  place: number;
  step: number;
}

/** The sides of a box in pixels, the last two outside of it. */
export type Corners = readonly [left: number, top: number, right: number, bottom: number];

/** One byte a pixel, each a place in the palette. */
export class Canvas {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint8Array;
  /** The same pixels, four in each. */
  readonly words: Int32Array;
  /** May be changed for another one in which the places mean the same, or more. */
  palette: Palette;
  readonly scanner: ShapeScanner;

  constructor(width: number, height: number, palette: Palette, scanner = new ShapeScanner()) {
    this.width = width;
    this.height = height;
    this.pixels = new Uint8Array(width * height);
    this.words = new Int32Array(this.pixels.buffer, 0, this.pixels.length >> 2);
    this.palette = palette;
    this.scanner = scanner;
  }

  /** Fills whole pixels from `left` to before `right`; what lies outside is cut off. */
  fillRow(y: number, left: number, right: number, place: number): void {
    if (y < 0 || y >= this.height) return;
    const from = Math.max(0, left);
    const to = Math.min(this.width, right);
    if (from >= to) return;
    const [start, end] = [y * this.width + from, y * this.width + to];
    fillRun(this.pixels, this.words, { start, end, place });
  }

  copyRow(from: number, to: number): void {
    this.pixels.copyWithin(to * this.width, from * this.width, (from + 1) * this.width);
  }

  fillBox([left, top, right, bottom]: Corners, place: number): void {
    for (let y = Math.max(0, top); y < Math.min(this.height, bottom); y++) {
      this.fillRow(y, left, right, place);
    }
  }

  /** Lays `step` eighths of a colour over one pixel. */
  touch(x: number, y: number, place: number, step: number): void {
    if (x < 0 || y < 0 || x >= this.width || y >= this.height || step <= 0) return;
    const at = y * this.width + x;
    const under = this.pixels[at] ?? 0;
    this.pixels[at] = step >= EDGE_STEPS ? place : this.palette.mix(under, place, step);
  }

  /** Lays `step` eighths of a colour over a whole box, like tinted glass. */
  glaze(box: { left: number; top: number; right: number; bottom: number }, place: number, step: number) {
    for (let y = Math.max(0, box.top); y < Math.min(this.height, box.bottom); y++) {
      this.glazeRow(y, box.left, box.right, { place, step });
    }
  }

  /** The same in one row, four pixels at a time: most are as the four before them. */
  glazeRow(y: number, left: number, right: number, glass: Glass): void {
    if (y < 0 || y >= this.height) return;
    const { words } = this;
    const start = y * this.width + Math.max(0, left);
    const end = y * this.width + Math.min(this.width, right);
    const whole = Math.min(end, (start + 3) & ~3);
    this.#glazePixels(start, whole, glass);
    let [under, glazed] = [0, 0];
    for (let at = whole; at + 4 <= end; at += 4) {
      const four = words[at >> 2] ?? 0;
      if (at === whole || four !== under) {
        under = four;
        this.#glazePixels(at, at + 4, glass);
        glazed = words[at >> 2] ?? 0;
      } else words[at >> 2] = glazed;
    }
    if (whole < end) this.#glazePixels(Math.max(whole, end & ~3), end, glass);
  }

  #glazePixels(start: number, end: number, { place, step }: Glass): void {
    const { pixels, palette } = this;
    for (let at = start; at < end; at++) pixels[at] = palette.mix(pixels[at] ?? 0, place, step);
  }
}

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

/** Shorter runs are written pixel by pixel, longer ones by the engine's own fill, those between four pixels at a time. */
const SHORT = 12;
const LONG = 256;

/** Writes `place` from `start` to before `end`; `words` are the same pixels, four in each. */
function fillRun(pixels: Uint8Array, words: Int32Array, run: { start: number; end: number; place: number }): void {
  const { start, end, place } = run;
  if (end - start > LONG) {
    pixels.fill(place, start, end);
    return;
  }
  let at = start;
  if (end - start > SHORT) {
    while ((at & 3) !== 0) pixels[at++] = place;
    const four = Math.imul(place, 0x01010101);
    const last = end >> 2;
    for (let word = at >> 2; word < last; word++) words[word] = four;
    at = end & ~3;
  }
  while (at < end) pixels[at++] = place;
}
