import { EDGE_STEPS } from './palette.ts';
import type { Sink } from './shape-edges.ts';

/** Beyond every word of a mask; a whole number, so that counting from it stays in whole numbers. */
const NOTHING = 1 << 20;

/**
 * How much of each pixel of one row is covered, kept as changes from each pixel to the next. Only pixels in which
 * something changes are ever looked at; a mask tells them.
 */
export class CoverageRow {
  #changes = new Float64Array(0);
  #mask = new Int32Array(0);
  #width = 0;
  #low = NOTHING;
  #high = -1;

  /** For rows of `width` pixels. */
  begin(width: number): void {
    this.#width = width;
    if (this.#changes.length >= width + 2) return;
    this.#changes = new Float64Array(width + 2);
    this.#mask = new Int32Array((width + 33) >> 5);
  }

  /** What lies to the right of an edge from `from` to `to` is covered by `share` of its height more. Places are within the row. */
  add(from: number, to: number, share: number): void {
    const low = Math.min(from, to);
    const high = Math.max(from, to);
    const first = low | 0;
    if (high > first + 1) {
      this.#lean(low, high, share);
      return;
    }
    const right = share * ((low + high) / 2 - first);
    this.#change(first, share - right);
    this.#change(first + 1, right);
  }

  /** An edge that leans over several pixels: what it covers grows evenly from one to the next. */
  #lean(low: number, high: number, share: number): void {
    const apiece = share / (high - low);
    const first = low | 0;
    let before = (apiece * (first + 1 - low) * (first + 1 - low)) / 2;
    this.#change(first, before);
    let x = first + 1;
    for (; x + 1 < high; x++) {
      const covered = apiece * (x + 0.5 - low);
      this.#change(x, covered - before);
      before = covered;
    }
    const last = share * (x + 1 - (low + high) / 2) - (apiece * (x - low) * (x - low)) / 2;
    this.#change(x, last - before);
    this.#change(x + 1, share - last);
  }

  /** Sums the changes up, clears them, and hands over runs and edges; `left` is the first pixel's place in the picture. */
  give(y: number, left: number, sink: Sink): void {
    const changes = this.#changes;
    const mask = this.#mask;
    const run = { y, from: left, step: 0 };
    const end = left + this.#width;
    let sum = 0;
    for (let word = this.#low; word <= this.#high; word++) {
      let bits = mask[word] ?? 0;
      mask[word] = 0;
      for (; bits !== 0; bits &= bits - 1) {
        const x = (word << 5) + 31 - Math.clz32(bits & -bits);
        // What lies to the right of the row is noted at its end and one behind it.
        hand(run, Math.min(left + x, end), sink);
        sum += changes[x] ?? 0;
        changes[x] = 0;
        run.step = (Math.abs(sum) * EDGE_STEPS + 0.5) | 0;
      }
    }
    hand(run, end, sink);
    this.#low = NOTHING;
    this.#high = -1;
  }

  #change(x: number, by: number): void {
    this.#changes[x] = (this.#changes[x] ?? 0) + by;
    const word = x >> 5;
    this.#mask[word] = (this.#mask[word] ?? 0) | (1 << (x & 31));
    if (word < this.#low) this.#low = word;
    if (word > this.#high) this.#high = word;
  }
}

/** Hands over pixels that are covered alike, and begins the next run. */
function hand(run: { y: number; from: number; step: number }, to: number, sink: Sink): void {
  const { y, from, step } = run;
  run.from = to;
  if (step >= EDGE_STEPS) {
    if (from < to) sink.full(y, from, to);
    return;
  }
  if (step === 0) return;
  for (let x = from; x < to; x++) sink.edge(x, y, step);
}
