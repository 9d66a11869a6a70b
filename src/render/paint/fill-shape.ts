import { type Contours, Crossings, SUBROWS } from './crossings.ts';
import { EDGE_STEPS } from './palette.ts';

/** How much of each pixel a shape covers, in eighths, for one row of pixels or a part of it. */
export interface Sink {
  /** Pixels from `left` to before `right` that are wholly covered. */
  full(y: number, left: number, right: number): void;
  edge(x: number, y: number, step: number): void;
}

export interface Bounds {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** What of a canvas a shape is filled on. */
interface Surface {
  readonly width: number;
  readonly height: number;
  readonly scanner: ShapeScanner;
  fillRow(y: number, left: number, right: number, place: number): void;
  touch(x: number, y: number, place: number, step: number): void;
}

/** Fills a shape with smooth edges. */
export function fillShape(canvas: Surface, contours: Contours, place: number): void {
  const frame = { left: 0, top: 0, right: canvas.width, bottom: canvas.height };
  canvas.scanner.scan(contours, frame, {
    full: (y, left, right) => canvas.fillRow(y, left, right, place),
    edge: (x, y, step) => canvas.touch(x, y, place, step),
  });
}

/** Turns outlines into covered pixels; keeps its working memory between shapes. */
export class ShapeScanner {
  readonly #crossings = new Crossings();
  #cover = new Float32Array(0);
  #bounds: Bounds = { left: 0, top: 0, right: 0, bottom: 0 };

  scan(contours: Contours, frame: Bounds, sink: Sink): void {
    const bounds = boundsOf(contours, frame);
    if (bounds.right <= bounds.left || bounds.bottom <= bounds.top) return;
    this.#crossings.trace(contours, bounds.top, bounds.bottom - bounds.top);
    if (this.#cover.length < frame.right - frame.left + 2) {
      this.#cover = new Float32Array(frame.right - frame.left + 2);
    }
    this.#bounds = bounds;
    for (let y = bounds.top; y < bounds.bottom; y++) {
      if (!this.#plainRow(y, sink)) this.#row(y, sink);
    }
  }

  /** A row that is crossed twice on each line has one run that needs no look at single pixels. */
  #plainRow(y: number, sink: Sink): boolean {
    const { left, top, right } = this.#bounds;
    const line = (y - top) * SUBROWS;
    let outer = Infinity;
    let inner = -Infinity;
    let innerEnd = Infinity;
    let outerEnd = -Infinity;
    for (let sub = line; sub < line + SUBROWS; sub++) {
      if (this.#crossings.counts[sub] !== 2) return false;
      const from = this.#crossings.place(sub, 0);
      const to = this.#crossings.place(sub, 1);
      outer = Math.min(outer, from);
      inner = Math.max(inner, from);
      innerEnd = Math.min(innerEnd, to);
      outerEnd = Math.max(outerEnd, to);
    }
    const first = Math.max(left, Math.ceil(inner));
    const last = Math.min(right, Math.floor(innerEnd));
    if (last - first < 4) return false;
    sink.full(y, first, last);
    this.#part(y, Math.max(left, Math.floor(outer)), first, sink);
    this.#part(y, last, Math.min(right, Math.ceil(outerEnd)), sink);
    return true;
  }

  #row(y: number, sink: Sink): void {
    const bounds = this.#bounds;
    const line = (y - bounds.top) * SUBROWS;
    let left = Infinity;
    let right = -Infinity;
    for (let sub = line; sub < line + SUBROWS; sub++) {
      const count = this.#crossings.counts[sub] ?? 0;
      if (count === 0) continue;
      left = Math.min(left, this.#crossings.place(sub, 0));
      right = Math.max(right, this.#crossings.place(sub, count - 1));
    }
    this.#part(
      y,
      Math.max(bounds.left, Math.floor(left)),
      Math.min(bounds.right, Math.ceil(right)),
      sink,
    );
  }

  #part(y: number, left: number, right: number, sink: Sink): void {
    if (right <= left) return;
    this.#cover.fill(0, 0, right - left + 1);
    const line = (y - this.#bounds.top) * SUBROWS;
    for (let sub = line; sub < line + SUBROWS; sub++) this.#coverLine(sub, left, right - left);
    this.#give(y, left, right, sink);
  }

  #coverLine(line: number, left: number, width: number): void {
    const count = this.#crossings.counts[line] ?? 0;
    let winding = 0;
    for (let at = 0; at + 1 < count; at++) {
      winding += this.#crossings.turn(line, at);
      if (winding === 0) continue;
      this.#mark(this.#crossings.place(line, at) - left, 1 / SUBROWS, width);
      this.#mark(this.#crossings.place(line, at + 1) - left, -1 / SUBROWS, width);
    }
  }

  /** Notes the begin or end of a span as a change of coverage. */
  #mark(x: number, weight: number, width: number): void {
    const held = x < 0 ? 0 : Math.min(x, width);
    const pixel = Math.floor(held);
    const share = held - pixel;
    this.#cover[pixel] = (this.#cover[pixel] ?? 0) + weight * (1 - share);
    if (pixel < width) this.#cover[pixel + 1] = (this.#cover[pixel + 1] ?? 0) + weight * share;
  }

  /** Sums the changes up and hands over runs and edges. */
  #give(y: number, left: number, right: number, sink: Sink): void {
    let sum = 0;
    let open = left;
    for (let x = left; x < right; x++) {
      sum += this.#cover[x - left] ?? 0;
      const step = (sum * EDGE_STEPS + 0.5) | 0;
      if (step >= EDGE_STEPS) continue;
      if (open < x) sink.full(y, open, x);
      if (step > 0) sink.edge(x, y, step);
      open = x + 1;
    }
    if (open < right) sink.full(y, open, right);
  }
}

function boundsOf(contours: Contours, frame: Bounds): Bounds {
  const extent = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
  for (const points of contours) widen(extent, points);
  return {
    left: Math.max(frame.left, Math.floor(extent.left)),
    top: Math.max(frame.top, Math.floor(extent.top)),
    right: Math.min(frame.right, Math.ceil(extent.right)),
    bottom: Math.min(frame.bottom, Math.ceil(extent.bottom)),
  };
}

function widen(extent: Bounds, points: readonly number[]): void {
  for (let at = 0; at < points.length; at += 2) {
    const x = points[at] ?? 0;
    const y = points[at + 1] ?? 0;
    if (x < extent.left) extent.left = x;
    if (x > extent.right) extent.right = x;
    if (y < extent.top) extent.top = y;
    if (y > extent.bottom) extent.bottom = y;
  }
}
