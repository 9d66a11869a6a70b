import { EDGE_STEPS } from './palette.ts';
import type { Bounds, Sink } from './sink.ts';

/** An edge on its way down: where it is at the upper side of a row, and how far it goes to the right in one. */
export interface Way {
  x: number;
  slope: number;
}

/** Hands over what lies in one row between two edges that pass all of it. */
export function coverBetween(one: Way, other: Way, row: { y: number; bounds: Bounds }, sink: Sink): void {
  const { y, bounds } = row;
  const swapped = one.x + one.slope / 2 > other.x + other.slope / 2;
  const from = swapped ? other : one;
  const to = swapped ? one : other;
  const fromEnd = from.x + from.slope;
  const toEnd = to.x + to.slope;
  const left = Math.max(bounds.left, Math.floor(from.slope < 0 ? fromEnd : from.x));
  const right = Math.min(bounds.right, Math.ceil(to.slope < 0 ? to.x : toEnd));
  const full = Math.max(left, Math.ceil(from.slope < 0 ? from.x : fromEnd));
  const fullEnd = Math.min(right, Math.floor(to.slope < 0 ? toEnd : to.x));
  if (full >= fullEnd) {
    for (let x = left; x < right; x++) touch(sink, x, y, beyond(from, x) - beyond(to, x));
    return;
  }
  for (let x = left; x < full; x++) touch(sink, x, y, beyond(from, x));
  sink.full(y, full, fullEnd);
  for (let x = fullEnd; x < right; x++) touch(sink, x, y, 1 - beyond(to, x));
}

function touch(sink: Sink, x: number, y: number, share: number): void {
  const step = (share * EDGE_STEPS + 0.5) | 0;
  if (step > 0) sink.edge(x, y, step);
}

/** The share of a pixel that lies to the right of an edge. */
function beyond({ x, slope }: Way, pixel: number): number {
  const low = slope < 0 ? x + slope : x;
  const high = slope < 0 ? x : x + slope;
  if (low >= pixel && high <= pixel + 1) return pixel + 1 - (low + high) / 2;
  return passed(pixel + 1, low, high) - passed(pixel, low, high);
}

/** What lies between an edge from `low` to `high` and the line at `x`. */
function passed(x: number, low: number, high: number): number {
  if (x <= low) return 0;
  if (x >= high) return x - (low + high) / 2;
  return ((x - low) * (x - low)) / (2 * (high - low));
}
