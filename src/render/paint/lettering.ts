import { type Canvas, fillShape } from './canvas.ts';
import { OutlineFont } from './outline-font.ts';
import { EDGE_STEPS, type Rgb } from './palette.ts';
import type { Contours } from './shape-edges.ts';
import { extent, ShapeScanner } from './shape-scanner.ts';
import { needsShaping, runsOf } from './text-runs.ts';
import { TextShaper } from './text-shaper.ts';

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

/** A coloured picture of an emoji that stands on y = 0 around x = 0, its longer side 1. */
export interface EmojiPicture {
  layers: readonly { colour: Rgb; contours: Contours }[];
  width: number;
}

/** A glyph in thousandths of the em, or an emoji. */
interface Mark {
  key: string;
  advance: number;
  right: number;
  up: number;
  contours: number[][];
  emoji?: EmojiPicture;
}

/** Of the em: how large an emoji is, how far it hangs below the baseline, and what is left free on both sides. */
const EMOJI = { size: 980, below: 110, aside: 60 };
const FIRST_EMOJI = 0x2000;
/** Tones of skin, which follow an emoji and are not shown. */
const TONES = { first: 0x1f3fb, last: 0x1f3ff };

/** Draws text on canvases; glyphs stand on whole pixels, which keeps small sizes crisp and lets their shapes be kept. */
export class Lettering {
  readonly font: OutlineFont;
  readonly #emoji: (code: number) => EmojiPicture | undefined;
  readonly #scanner = new ShapeScanner();
  readonly #stamps = new Map<string, Stamp>();
  #shaper: TextShaper | undefined;

  constructor(emoji: (code: number) => EmojiPicture | undefined = () => undefined, font = new OutlineFont()) {
    this.#emoji = emoji;
    this.font = font;
  }

  /** Loads what a text needs to be drawn; without it letters of scripts that are shaped show as codes. */
  async prepare(...texts: readonly string[]): Promise<void> {
    if (!this.#shaper && texts.some(needsShaping)) this.#shaper = await TextShaper.load();
  }

  /** Width in pixels. */
  measure(text: string, size: number): number {
    let width = 0;
    for (const { advance } of this.#marks(text)) width += Math.round((advance * size) / 1000);
    return width;
  }

  draw(canvas: Canvas, text: string, line: Line): void {
    let x = Math.round(line.x);
    for (const mark of this.#marks(text)) {
      if (mark.emoji) drawEmoji(canvas, mark.emoji, { ...line, x });
      else this.#press(canvas, mark, { ...line, x });
      x += Math.round((mark.advance * line.size) / 1000);
    }
  }

  #press(canvas: Canvas, mark: Mark, line: Line): void {
    const right = Math.round((mark.right * line.size) / 1000);
    const up = Math.round((mark.up * line.size) / 1000);
    press(canvas, this.#stamp(mark, line.size), { ...line, x: line.x + right, baseline: line.baseline - up });
  }

  #marks(text: string): Mark[] {
    return runsOf(text).flatMap(({ text: part, script }) =>
      script && this.#shaper ? this.#shaper.shape(part, script) : [...part].map((letter) => this.#mark(letter)),
    );
  }

  #mark(letter: string): Mark {
    const code = letter.codePointAt(0) ?? 32;
    const plain = { key: `${code}`, right: 0, up: 0, contours: [] };
    if (code >= TONES.first && code <= TONES.last) return { ...plain, advance: 0 };
    const emoji = code >= FIRST_EMOJI ? this.#emoji(code) : undefined;
    if (emoji) return { ...plain, advance: emoji.width * EMOJI.size + 2 * EMOJI.aside, emoji };
    return { ...plain, ...this.font.glyph(code) };
  }

  #stamp({ key: outline, contours }: Mark, size: number): Stamp {
    const key = `${outline} ${size}`;
    const known = this.#stamps.get(key);
    if (known) return known;
    if (this.#stamps.size >= STAMPS_KEPT) this.#stamps.clear();
    const made = this.#cut(contours, size / 1000);
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

function drawEmoji(canvas: Canvas, { layers, width }: EmojiPicture, line: Line): void {
  const size = (EMOJI.size * line.size) / 1000;
  const x = line.x + (width * size) / 2 + (EMOJI.aside * line.size) / 1000;
  const y = line.baseline + (EMOJI.below * line.size) / 1000;
  for (const { colour, contours } of layers) {
    const placed = contours.map((points) => points.map((value, at) => value * size + (at % 2 === 0 ? x : y)));
    fillShape(canvas, placed, canvas.palette.add(colour));
  }
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
