import type { Canvas } from './canvas.ts';
import { EDGE_STEPS } from './palette.ts';

/** Closed contours in pixels, each `x, y, x, y…`; inside is where the windings do not cancel. */
export type Contours = readonly (readonly number[])[];

/** Lines looked at in each row of pixels; coverage across is exact. */
const SUBROWS = 4;

/** How much of each pixel of one row a shape covers, 0 to 1, from `left` to before `right`. */
type RowSink = (y: number, left: number, right: number, cover: Float32Array) => void;

export interface Bounds {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** Fills a shape with smooth edges. */
export function fillShape(canvas: Canvas, contours: Contours, place: number): void {
  const frame = { left: 0, top: 0, right: canvas.width, bottom: canvas.height };
  scan(contours, frame, (y, left, right, cover) => {
    let x = left;
    while (x < right) {
      const step = Math.round((cover[x - left] ?? 0) * EDGE_STEPS);
      let end = x + 1;
      if (step === EDGE_STEPS) {
        while (end < right && (cover[end - left] ?? 0) > 0.99) end++;
        canvas.fillRow(y, x, end, place);
      } else {
        canvas.touch(x, y, place, step);
      }
      x = end;
    }
  });
}

/** Hands over the rows that a shape touches within `frame`, as shares of covered pixels. */
export function scan(contours: Contours, frame: Bounds, sink: RowSink): void {
  const bounds = boundsOf(contours, frame);
  const width = bounds.right - bounds.left;
  if (width <= 0 || bounds.bottom <= bounds.top) return;
  const crossings = crossingsOf(contours, bounds);
  const cover = new Float32Array(width + 1);
  for (let y = bounds.top; y < bounds.bottom; y++) {
    cover.fill(0);
    for (let sub = 0; sub < SUBROWS; sub++) {
      const line = crossings[(y - bounds.top) * SUBROWS + sub];
      if (line) coverLine(line, bounds.left, cover);
    }
    settle(cover);
    sink(y, bounds.left, bounds.right, cover);
  }
}

function boundsOf(contours: Contours, frame: Bounds): Bounds {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const points of contours) {
    for (let at = 0; at < points.length; at += 2) {
      const [x, y] = [points[at] ?? 0, points[at + 1] ?? 0];
      if (x < left) left = x;
      if (x > right) right = x;
      if (y < top) top = y;
      if (y > bottom) bottom = y;
    }
  }
  return {
    left: Math.max(frame.left, Math.floor(left)),
    top: Math.max(frame.top, Math.floor(top)),
    right: Math.min(frame.right, Math.ceil(right)),
    bottom: Math.min(frame.bottom, Math.ceil(bottom)),
  };
}

/** For each subrow the places where an outline crosses it, `x, direction` in turn. */
function crossingsOf(contours: Contours, bounds: Bounds): (number[] | undefined)[] {
  const lines: (number[] | undefined)[] = new Array((bounds.bottom - bounds.top) * SUBROWS);
  for (const points of contours) {
    let [x, y] = points.slice(-2);
    for (let at = 0; at < points.length; at += 2) {
      const [nextX, nextY] = [points[at] ?? 0, points[at + 1] ?? 0];
      addEdge(lines, bounds.top, [x ?? 0, y ?? 0, nextX, nextY]);
      [x, y] = [nextX, nextY];
    }
  }
  return lines;
}

function addEdge(
  lines: (number[] | undefined)[],
  top: number,
  [x0, y0, x1, y1]: [number, number, number, number],
): void {
  if (y0 === y1) return;
  const direction = y0 < y1 ? 1 : -1;
  const [low, high] = direction > 0 ? [y0, y1] : [y1, y0];
  const first = Math.max(0, Math.ceil((low - top) * SUBROWS - 0.5));
  const last = Math.min(lines.length, Math.ceil((high - top) * SUBROWS - 0.5));
  const slope = (x1 - x0) / (y1 - y0);
  for (let line = first; line < last; line++) {
    const x = x0 + ((line + 0.5) / SUBROWS + top - y0) * slope;
    const held = lines[line];
    if (held) held.push(x, direction);
    else lines[line] = [x, direction];
  }
}

function coverLine(line: number[], left: number, cover: Float32Array): void {
  sortPairs(line);
  let winding = 0;
  for (let at = 0; at + 2 < line.length; at += 2) {
    winding += line[at + 1] ?? 0;
    if (winding !== 0) addSpan((line[at] ?? 0) - left, (line[at + 2] ?? 0) - left, cover);
  }
}

function sortPairs(line: number[]): void {
  for (let at = 2; at < line.length; at += 2) {
    const [x, direction] = [line[at] ?? 0, line[at + 1] ?? 0];
    let to = at;
    while (to > 0 && (line[to - 2] ?? 0) > x) {
      line[to] = line[to - 2] ?? 0;
      line[to + 1] = line[to - 1] ?? 0;
      to -= 2;
    }
    line[to] = x;
    line[to + 1] = direction;
  }
}

/** Notes a span as changes of coverage; `settle` sums them up. */
function addSpan(from: number, to: number, cover: Float32Array): void {
  addEnd(from, 1 / SUBROWS, cover);
  addEnd(to, -1 / SUBROWS, cover);
}

function addEnd(x: number, weight: number, cover: Float32Array): void {
  const last = cover.length - 1;
  const held = x < 0 ? 0 : x > last ? last : x;
  const pixel = Math.floor(held);
  const share = held - pixel;
  cover[pixel] = (cover[pixel] ?? 0) + weight * (1 - share);
  if (pixel < last) cover[pixel + 1] = (cover[pixel + 1] ?? 0) + weight * share;
}

function settle(cover: Float32Array): void {
  let sum = 0;
  for (let at = 0; at < cover.length; at++) {
    sum += cover[at] ?? 0;
    cover[at] = sum;
  }
}
