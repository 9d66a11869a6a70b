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

/** Closed contours in pixels, each `x, y, x, y…`; inside is where the windings do not cancel. */
export type Contours = readonly (readonly number[])[];

const NONE = -1;

/** The edges of one shape, found by the row in which they begin. Its memory is used again for each shape. */
export class ShapeEdges {
  /** The upper end, the lower end's height, and how far the edge goes to the right in each row. */
  x = new Float64Array(64);
  top = new Float64Array(64);
  bottom = new Float64Array(64);
  slope = new Float64Array(64);
  /** 1 for an edge that was drawn downwards, -1 for one drawn upwards. */
  turn = new Int8Array(64);
  #next = new Int32Array(64);
  #first = new Int32Array(64);
  #count = 0;

  /** Notes all edges that cover something within `bounds`. */
  note(contours: Contours, bounds: Bounds): void {
    const rows = bounds.bottom - bounds.top;
    if (this.#first.length < rows) this.#first = new Int32Array(rows);
    this.#first.fill(NONE, 0, rows);
    this.#count = 0;
    for (const points of contours) {
      let x = points[points.length - 2] ?? 0;
      let y = points[points.length - 1] ?? 0;
      for (let at = 0; at < points.length; at += 2) {
        const nextX = points[at] ?? 0;
        const nextY = points[at + 1] ?? 0;
        if (y < nextY) this.#add(bounds, [x, y, nextX, nextY], 1);
        else if (y > nextY) this.#add(bounds, [nextX, nextY, x, y], -1);
        x = nextX;
        y = nextY;
      }
    }
  }

  /** Puts the edges that begin in a row of the bounds behind the `count` first ones of `active`; answers how many there are then. */
  begin(row: number, active: Int32Array, count: number): number {
    let to = count;
    for (let edge = this.#first[row] ?? NONE; edge !== NONE; edge = this.#next[edge] ?? NONE) {
      active[to++] = edge;
    }
    return to;
  }

  /** Whether an edge begins in a row of the bounds. */
  begins(row: number): boolean {
    return this.#first[row] !== NONE;
  }

  /** Sets `way` to where an edge is at height `y`. */
  follow(edge: number, y: number, way: Way): void {
    way.slope = this.slope[edge] ?? 0;
    way.x = (this.x[edge] ?? 0) + (y - (this.top[edge] ?? 0)) * way.slope;
  }

  get count(): number {
    return this.#count;
  }

  /** What lies to the right of the bounds covers nothing in them. */
  #add(bounds: Bounds, [x, y, toX, toY]: [number, number, number, number], turn: number): void {
    if (toY <= bounds.top || y >= bounds.bottom) return;
    if (x >= bounds.right && toX >= bounds.right) return;
    if (this.#count === this.x.length) this.#grow();
    const edge = this.#count++;
    this.x[edge] = x;
    this.top[edge] = y;
    this.bottom[edge] = toY;
    this.slope[edge] = (toX - x) / (toY - y);
    this.turn[edge] = turn;
    const row = Math.max(0, Math.floor(y) - bounds.top);
    this.#next[edge] = this.#first[row] ?? NONE;
    this.#first[row] = edge;
  }

  #grow(): void {
    const room = this.x.length * 2;
    this.x = enlarged(this.x, new Float64Array(room));
    this.top = enlarged(this.top, new Float64Array(room));
    this.bottom = enlarged(this.bottom, new Float64Array(room));
    this.slope = enlarged(this.slope, new Float64Array(room));
    this.turn = enlarged(this.turn, new Int8Array(room));
    this.#next = enlarged(this.#next, new Int32Array(room));
  }
}

function enlarged<T extends Float64Array | Int8Array | Int32Array>(from: T, to: T): T {
  to.set(from);
  return to;
}

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
