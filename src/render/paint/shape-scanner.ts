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

/** Coverage is counted in whole numbers: of a pixel on one line, and on all its lines. */
const LINE = 256;
const FULL = LINE * SUBROWS;
/** An eighth of it. */
const STEP_BITS = 6;
const STEP = 1 << STEP_BITS;
/** An edge that leans over more pixels than this is marked in so many places. */
const MOST_MARKS = 64;

/** Turns outlines into covered pixels; keeps its working memory between shapes. */
export class ShapeScanner {
  readonly #crossings = new Crossings();
  /** Changes of coverage from each pixel to the next; all zero between two parts. */
  #cover = new Int32Array(0);
  #bounds: Bounds = { left: 0, top: 0, right: 0, bottom: 0 };

  scan(contours: Contours, frame: Bounds, sink: Sink): void {
    const bounds = boundsOf(contours, frame);
    if (bounds.right <= bounds.left || bounds.bottom <= bounds.top) return;
    this.#crossings.trace(contours, bounds.top, bounds.bottom - bounds.top);
    if (this.#cover.length < frame.right - frame.left + 2) {
      this.#cover = new Int32Array(frame.right - frame.left + 2);
    }
    this.#bounds = bounds;
    for (let y = bounds.top; y < bounds.bottom; y++) {
      if (!this.#plainRow(y, sink)) this.#row(y, sink);
    }
  }

  /** A row that is crossed twice on each line has one run that needs no look at single pixels. */
  #plainRow(y: number, sink: Sink): boolean {
    const crossings = this.#crossings;
    const { left, top, right } = this.#bounds;
    const line = (y - top) * SUBROWS;
    let [outer, inner, innerEnd, outerEnd] = [Infinity, -Infinity, Infinity, -Infinity];
    for (let sub = line; sub < line + SUBROWS; sub++) {
      if (crossings.counts[sub] !== 2) return false;
      const [from, lean] = [crossings.place(sub, 0), crossings.lean(sub, 0)];
      const [to, leanEnd] = [crossings.place(sub, 1), crossings.lean(sub, 1)];
      outer = Math.min(outer, from - lean);
      inner = Math.max(inner, from + lean);
      innerEnd = Math.min(innerEnd, to - leanEnd);
      outerEnd = Math.max(outerEnd, to + leanEnd);
    }
    const first = Math.max(left, Math.ceil(inner));
    const last = Math.min(right, Math.floor(innerEnd));
    if (last - first < 4) return false;
    sink.full(y, first, last);
    this.#side({ y, left: Math.max(left, Math.floor(outer)), right: first }, 0, sink);
    this.#side({ y, left: last, right: Math.min(right, Math.ceil(outerEnd)) }, 1, sink);
    return true;
  }

  /** The pixels at the left (0) or right (1) end of a run. */
  #side(part: { y: number; left: number; right: number }, end: number, sink: Sink): void {
    const { y, left, right } = part;
    if (right <= left) return;
    const line = (y - this.#bounds.top) * SUBROWS;
    const crossings = this.#crossings;
    if (right - left === 1) {
      // Within one pixel what an edge covers follows from its middle, however it leans.
      const middle = (crossings.place(line, end) + crossings.place(line + 1, end)) / 2 - left;
      const step = Math.round((end === 0 ? 1 - middle : middle) * EDGE_STEPS);
      if (step > 0) sink.edge(left, y, Math.min(step, EDGE_STEPS));
      return;
    }
    const sign = end === 0 ? 1 : -1;
    for (let sub = line; sub < line + SUBROWS; sub++) {
      const x = crossings.place(sub, end) - left;
      this.#mark(x, crossings.lean(sub, end), sign, right - left);
    }
    this.#give(part, end * FULL, sink);
  }

  #row(y: number, sink: Sink): void {
    const crossings = this.#crossings;
    const bounds = this.#bounds;
    const line = (y - bounds.top) * SUBROWS;
    let [outer, outerEnd] = [Infinity, -Infinity];
    for (let sub = line; sub < line + SUBROWS; sub++) {
      const count = crossings.counts[sub] ?? 0;
      if (count === 0) continue;
      const [first, last] = [0, count - 1];
      outer = Math.min(outer, crossings.place(sub, first) - crossings.lean(sub, first));
      outerEnd = Math.max(outerEnd, crossings.place(sub, last) + crossings.lean(sub, last));
    }
    const left = Math.max(bounds.left, Math.floor(outer));
    const right = Math.min(bounds.right, Math.ceil(outerEnd));
    if (right <= left) return;
    for (let sub = line; sub < line + SUBROWS; sub++) this.#coverLine(sub, left, right - left);
    this.#give({ y, left, right }, 0, sink);
  }

  #coverLine(line: number, left: number, width: number): void {
    const crossings = this.#crossings;
    const count = crossings.counts[line] ?? 0;
    let winding = 0;
    for (let at = 0; at < count; at++) {
      const before = winding;
      winding += crossings.turn(line, at);
      if ((before === 0) === (winding === 0)) continue;
      const sign = before === 0 ? 1 : -1;
      this.#mark(crossings.place(line, at) - left, crossings.lean(line, at), sign, width);
    }
  }

  /** Notes the begin or end of a span as a change of coverage, spread over the pixels that its edge leans over. */
  #mark(x: number, lean: number, sign: number, width: number): void {
    if (lean <= 0.5) {
      this.#markPlace(x, sign * LINE, width);
      return;
    }
    let marks = 2;
    while (marks < 2 * lean && marks < MOST_MARKS) marks *= 2;
    const weight = (sign * LINE) / marks;
    const apart = (2 * lean) / marks;
    for (let mark = 0; mark < marks; mark++) {
      this.#markPlace(x - lean + (mark + 0.5) * apart, weight, width);
    }
  }

  #markPlace(x: number, weight: number, width: number): void {
    const cover = this.#cover;
    const held = Math.max(0, Math.min(x, width));
    const pixel = held | 0;
    const share = Math.round((held - pixel) * weight);
    cover[pixel] = (cover[pixel] ?? 0) + weight - share;
    cover[pixel + 1] = (cover[pixel + 1] ?? 0) + share;
  }

  /** Sums the changes up, clears them, and hands over runs and edges. */
  #give(part: { y: number; left: number; right: number }, before: number, sink: Sink): void {
    const { y, left, right } = part;
    const cover = this.#cover;
    let sum = before;
    let open = left;
    for (let x = left; x < right; x++) {
      sum += cover[x - left] ?? 0;
      cover[x - left] = 0;
      const step = (sum + STEP / 2) >> STEP_BITS;
      if (step >= EDGE_STEPS) continue;
      if (open < x) sink.full(y, open, x);
      if (step > 0) sink.edge(x, y, step);
      open = x + 1;
    }
    cover[right - left] = 0;
    cover[right - left + 1] = 0;
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
