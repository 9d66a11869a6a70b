/** Lines looked at in each row of pixels; how far an edge leans between two lines is noted with each crossing. */
export const SUBROWS = 2;

/** Closed contours in pixels, each `x, y, x, y…`; inside is where the windings do not cancel. */
export type Contours = readonly (readonly number[])[];

/** Where outlines cross the lines of a picture. Its memory is used again for each shape. */
export class Crossings {
  /** Crossings noted on each line. */
  counts = new Uint16Array(0);
  #lines = 0;
  #room = 8;
  #places = new Float64Array(0);
  #turns = new Int8Array(0);
  #leans = new Float32Array(0);

  /** Notes all edges of a shape within `rows` rows of pixels from `top` on, sorted from left to right. */
  trace(contours: Contours, top: number, rows: number): void {
    this.#prepare(rows * SUBROWS);
    for (const points of contours) {
      let x = points[points.length - 2] ?? 0;
      let y = points[points.length - 1] ?? 0;
      for (let at = 0; at < points.length; at += 2) {
        const nextX = points[at] ?? 0;
        const nextY = points[at + 1] ?? 0;
        this.#edge(x, (y - top) * SUBROWS, nextX, (nextY - top) * SUBROWS);
        x = nextX;
        y = nextY;
      }
    }
  }

  /** The place of a crossing on a line. */
  place(line: number, index: number): number {
    return this.#places[line * this.#room + index] ?? 0;
  }

  /** Half the way that the edge takes to the side on its line. */
  lean(line: number, index: number): number {
    return this.#leans[line * this.#room + index] ?? 0;
  }

  turn(line: number, index: number): number {
    return this.#turns[line * this.#room + index] ?? 0;
  }

  #prepare(lines: number): void {
    if (this.counts.length < lines) {
      this.counts = new Uint16Array(lines);
      this.#places = new Float64Array(lines * this.#room);
      this.#turns = new Int8Array(lines * this.#room);
      this.#leans = new Float32Array(lines * this.#room);
    }
    this.counts.fill(0, 0, lines);
    this.#lines = lines;
  }

  #edge(fromX: number, fromY: number, toX: number, toY: number): void {
    const down = fromY < toY;
    const [top, bottom] = down ? [fromY, toY] : [toY, fromY];
    const first = Math.max(0, Math.ceil(top - 0.5));
    const last = Math.min(this.#lines, Math.ceil(bottom - 0.5));
    if (first >= last) return;
    const slope = (toX - fromX) / (toY - fromY);
    const edge = { turn: down ? 1 : -1, lean: Math.abs(slope) / 2 };
    for (let line = first; line < last; line++) {
      this.#note(line, fromX + (line + 0.5 - fromY) * slope, edge);
    }
  }

  #note(line: number, x: number, { turn, lean }: { turn: number; lean: number }): void {
    const count = this.counts[line] ?? 0;
    if (count === this.#room) this.#grow();
    const start = line * this.#room;
    let to = start + count;
    while (to > start && (this.#places[to - 1] ?? 0) > x) {
      this.#places[to] = this.#places[to - 1] ?? 0;
      this.#turns[to] = this.#turns[to - 1] ?? 0;
      this.#leans[to] = this.#leans[to - 1] ?? 0;
      to--;
    }
    this.#places[to] = x;
    this.#turns[to] = turn;
    this.#leans[to] = lean;
    this.counts[line] = count + 1;
  }

  #grow(): void {
    const [room, places, turns, leans] = [this.#room, this.#places, this.#turns, this.#leans];
    this.#room = room * 2;
    this.#places = new Float64Array(places.length * 2);
    this.#turns = new Int8Array(turns.length * 2);
    this.#leans = new Float32Array(leans.length * 2);
    for (let line = 0; line < this.#lines; line++) {
      this.#places.set(places.subarray(line * room, (line + 1) * room), line * this.#room);
      this.#turns.set(turns.subarray(line * room, (line + 1) * room), line * this.#room);
      this.#leans.set(leans.subarray(line * room, (line + 1) * room), line * this.#room);
    }
  }
}
