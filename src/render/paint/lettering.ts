import type { Canvas } from './canvas.ts';
import { OutlineFont } from './outline-font.ts';
import { EDGE_STEPS } from './palette.ts';
import { ShapeScanner } from './shape-scanner.ts';

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
  readonly #scanner = new ShapeScanner();
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
    const made = this.#cut(this.font.glyph(code).contours, size / 1000);
    this.#stamps.set(key, made);
    return made;
  }

  #cut(contours: number[][], scale: number): Stamp {
    const scaled = contours.map((points) => points.map((value) => value * scale));
    const [left, top, right, bottom] = extent(scaled);
    const width = Math.max(0, right - left);
    const steps = new Uint8Array(width * Math.max(0, bottom - top));
    this.#scanner.scan(
      scaled,
      { left, top, right, bottom },
      {
        full: (y, from, to) => steps.fill(EDGE_STEPS, (y - top) * width + from - left, (y - top) * width + to - left),
        edge: (x, y, step) => {
          steps[(y - top) * width + x - left] = step;
        },
      },
    );
    return { left, top, width, steps };
  }
}

function extent(contours: number[][]): [number, number, number, number] {
  const all = contours.flat();
  const [xs, ys] = [all.filter((_, at) => at % 2 === 0), all.filter((_, at) => at % 2 === 1)];
  if (all.length === 0) return [0, 0, 0, 0];
  return [
    ...([Math.floor(Math.min(...xs)), Math.floor(Math.min(...ys))] as const),
    ...([Math.ceil(Math.max(...xs)), Math.ceil(Math.max(...ys))] as const),
  ];
}

function press(canvas: Canvas, { left, top, width, steps }: Stamp, line: Line): void {
  for (let at = 0, y = line.baseline + top; at < steps.length; y++) {
    const x = line.x + left - at;
    for (const end = at + width; at < end; at++) {
      const step = steps[at] ?? 0;
      if (step > 0) canvas.touch(x + at, y, line.place, step);
    }
  }
}
