import { EDGE_STEPS, type Palette } from './palette.ts';
import { ShapeScanner } from './shape-scanner.ts';

/** Runs up to this length are written faster one by one. */
const SHORT = 24;

/** One byte a pixel, each a place in the palette. */
export class Canvas {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint8Array;
  readonly palette: Palette;
  readonly scanner: ShapeScanner;

  constructor(width: number, height: number, palette: Palette, scanner = new ShapeScanner()) {
    this.width = width;
    this.height = height;
    this.pixels = new Uint8Array(width * height);
    this.palette = palette;
    this.scanner = scanner;
  }

  /** Fills whole pixels from `left` to before `right`; what lies outside is cut off. */
  fillRow(y: number, left: number, right: number, place: number): void {
    if (y < 0 || y >= this.height) return;
    const from = Math.max(0, left);
    const to = Math.min(this.width, right);
    const [start, end] = [y * this.width + from, y * this.width + to];
    if (end - start > SHORT) this.pixels.fill(place, start, end);
    else for (let at = start; at < end; at++) this.pixels[at] = place;
  }

  copyRow(from: number, to: number): void {
    this.pixels.copyWithin(to * this.width, from * this.width, (from + 1) * this.width);
  }

  fillBox(left: number, top: number, right: number, bottom: number, place: number): void {
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
  glaze(
    box: { left: number; top: number; right: number; bottom: number },
    place: number,
    step: number,
  ) {
    const [left, right] = [Math.max(0, box.left), Math.min(this.width, box.right)];
    for (let y = Math.max(0, box.top); y < Math.min(this.height, box.bottom); y++) {
      let from = y * this.width + left;
      const end = y * this.width + right;
      while (from < end) {
        const under = this.pixels[from] ?? 0;
        let at = from + 1;
        while (at < end && this.pixels[at] === under) at++;
        this.pixels.fill(this.palette.mix(under, place, step), from, at);
        from = at;
      }
    }
  }
}
