import { CoverageRow } from './coverage-row.ts';
import { type Bounds, type Contours, coverBetween, ShapeEdges, type Sink, type Way } from './shape-edges.ts';

/** Turns outlines into covered pixels, exactly to the area; keeps its working memory between shapes. */
export class ShapeScanner {
  readonly #edges = new ShapeEdges();
  #active = new Int32Array(0);
  readonly #row = new CoverageRow();
  #bounds: Bounds = { left: 0, top: 0, right: 0, bottom: 0 };
  readonly #one: Way = { x: 0.5, slope: 0.5 };
  readonly #other: Way = { x: 0.5, slope: 0.5 };

  scan(contours: Contours, frame: Bounds, sink: Sink): void {
    const bounds = boundsOf(contours, frame);
    if (bounds.right <= bounds.left || bounds.bottom <= bounds.top) return;
    this.#edges.note(contours, bounds);
    if (this.#active.length < this.#edges.count) this.#active = new Int32Array(this.#edges.count * 2);
    this.#row.begin(bounds.right - bounds.left);
    this.#bounds = bounds;
    let [y, count] = [bounds.top, 0];
    while (y < bounds.bottom) {
      count = this.#edges.begin(y - bounds.top, this.#active, count);
      const next = count === 2 ? this.#pair(y, sink) : y;
      if (next === y) {
        count = this.#cover(y, count);
        this.#row.give(y, bounds.left, sink);
      }
      y = Math.max(next, y + 1);
    }
  }

  /** Hands over rows from `y` on as long as two edges pass them whole; answers the first row where it is not so. */
  #pair(y: number, sink: Sink): number {
    const edges = this.#edges;
    const [one, other] = [this.#active[0] ?? 0, this.#active[1] ?? 0];
    if (edges.turn[one] === edges.turn[other]) return y;
    if ((edges.top[one] ?? 0) > y || (edges.top[other] ?? 0) > y) return y;
    const bounds = this.#bounds;
    const last = Math.min(edges.bottom[one] ?? 0, edges.bottom[other] ?? 0, bounds.bottom);
    edges.follow(one, y, this.#one);
    edges.follow(other, y, this.#other);
    const row = { y, bounds };
    for (; row.y + 1 <= last; row.y++) {
      if (row.y > y && edges.begins(row.y - bounds.top)) break;
      coverBetween(this.#one, this.#other, row, sink);
      this.#one.x += this.#one.slope;
      this.#other.x += this.#other.slope;
    }
    return row.y;
  }

  /** Notes what the first `count` active edges cover in a row; answers how many of them go on. */
  #cover(y: number, count: number): number {
    const edges = this.#edges;
    const active = this.#active;
    const { left, right } = this.#bounds;
    let kept = 0;
    for (let at = 0; at < count; at++) {
      const edge = active[at] ?? 0;
      const top = edges.top[edge] ?? 0;
      const bottom = edges.bottom[edge] ?? 0;
      const slope = edges.slope[edge] ?? 0;
      const from = Math.max(top, y);
      const to = Math.min(bottom, y + 1);
      const start = (edges.x[edge] ?? 0) + (from - top) * slope - left;
      const end = start + (to - from) * slope;
      const share = (to - from) * (edges.turn[edge] ?? 0);
      this.#row.add(within(start, right - left), within(end, right - left), share);
      if (bottom > y + 1) active[kept++] = edge;
    }
    return kept;
  }
}

/** What lies beside the bounds counts as lying at their side. */
function within(x: number, width: number): number {
  return Math.max(0, Math.min(x, width));
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

export function extent(contours: number[][]): [number, number, number, number] {
  const all = contours.flat();
  const [xs, ys] = [all.filter((_, at) => at % 2 === 0), all.filter((_, at) => at % 2 === 1)];
  if (all.length === 0) return [0, 0, 0, 0];
  return [
    ...([Math.floor(Math.min(...xs)), Math.floor(Math.min(...ys))] as const),
    ...([Math.ceil(Math.max(...xs)), Math.ceil(Math.max(...ys))] as const),
  ];
}
