import type { Canvas } from './canvas.ts';
import { scan } from './fill-shape.ts';
import { OutlineFont } from './outline-font.ts';
import { EDGE_STEPS } from './palette.ts';

/** A glyph at one size: coverage in eighths, from its own corner. */
interface Stamp {
  left: number;
  top: number;
  width: number;
  steps: Uint8Array;
}

/** Stamps kept at most; beyond that all are made anew, so that memory stays bounded. */
const STAMPS_KEPT = 2_000;

export interface Line {
  x: number;
  baseline: number;
  /** Pixels per em. */
  size: number;
  place: number;
}

/** Draws text on canvases; glyphs stand on whole pixels, which keeps small sizes crisp and lets their shapes be kept. */
export class Lettering {
  readonly font: OutlineFont;
  readonly #stamps = new Map<string, Stamp>();

  constructor(font = new OutlineFont()) {
    this.font = font;
  }

  /** Width in pixels. */
  measure(text: string, size: number): number {
    let width = 0;
    for (const letter of text) width += this.#advance(letter, size);
    return width;
  }

  draw(canvas: Canvas, text: string, line: Line): void {
    let x = Math.round(line.x);
    for (const letter of text) {
      const stamp = this.#stamp(letter.codePointAt(0) ?? 32, line.size);
      press(canvas, stamp, { ...line, x });
      x += this.#advance(letter, line.size);
    }
  }

  #advance(letter: string, size: number): number {
    const { advance } = this.font.glyph(letter.codePointAt(0) ?? 32);
    return Math.round((advance * size) / 1000);
  }

  #stamp(code: number, size: number): Stamp {
    const key = `${code} ${size}`;
    const known = this.#stamps.get(key);
    if (known) return known;
    if (this.#stamps.size >= STAMPS_KEPT) this.#stamps.clear();
    const made = cut(this.font.glyph(code).contours, size / 1000);
    this.#stamps.set(key, made);
    return made;
  }
}

function cut(contours: number[][], scale: number): Stamp {
  const scaled = contours.map((points) => points.map((value) => value * scale));
  const rows: number[] = [];
  const stamp: Stamp = { left: 0, top: 0, width: 0, steps: new Uint8Array(0) };
  const everywhere = { left: -4096, top: -4096, right: 4096, bottom: 4096 };
  scan(scaled, everywhere, (y, left, right, cover) => {
    if (rows.length === 0) Object.assign(stamp, { left, top: y, width: right - left });
    for (let x = 0; x < right - left; x++) rows.push(Math.round((cover[x] ?? 0) * EDGE_STEPS));
  });
  stamp.steps = Uint8Array.from(rows);
  return stamp;
}

function press(canvas: Canvas, stamp: Stamp, line: Line): void {
  const { width, steps } = stamp;
  for (let at = 0; at < steps.length; at++) {
    const step = steps[at] ?? 0;
    if (step === 0) continue;
    const x = line.x + stamp.left + (at % width);
    const y = line.baseline + stamp.top + Math.floor(at / width);
    canvas.touch(x, y, line.place, step);
  }
}
