import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fixtureFolder } from '../../base/package/fixture-folder.ts';
import { EastAsianGlyphs, type Glyph } from './east-asian-glyphs.ts';
import { hex, type Rgb } from './rgb.ts';
import { pathOf } from './svg-path.ts';

export interface Line {
  x: number;
  baseline: number;
  /** Pixels per em. */
  size: number;
  colour: Rgb;
}

/** A coloured picture of an emoji that stands on y = 0 around x = 0, its longer side 1. */
export interface EmojiPicture {
  /** In thousandths, as the data of an SVG path. */
  layers: readonly { colour: Rgb; path: string }[];
  width: number;
}

/** A glyph in thousandths of the em, or an emoji. */
interface Mark {
  advance: number;
  /** SVG whose unit is a thousandth of the em. */
  drawn: string;
}

/** Of the em: how large an emoji is, how far it hangs below the baseline, and what is left free on both sides. */
const EMOJI = { size: 980, below: 110, aside: 60 };
const FIRST_EMOJI = 0x2000;
/** Tones of skin, which follow an emoji and are not shown. */
const TONES = { first: 0x1f3fb, last: 0x1f3ff };

/** Text as SVG paths of the shipped outlines, which look alike on machines with and without fonts; glyphs stand on whole pixels. */
export class Lettering {
  readonly #font = new OutlineFont();
  readonly #emoji: (code: number) => EmojiPicture | undefined;
  readonly #marks = new Map<number, Mark>();

  constructor(emoji: (code: number) => EmojiPicture | undefined = () => undefined) {
    this.#emoji = emoji;
  }

  /** Width in pixels. */
  measure(text: string, size: number): number {
    let width = 0;
    for (const letter of text) width += Math.round((this.#mark(letter).advance * size) / 1000);
    return width;
  }

  /** The text as SVG. */
  draw(text: string, line: Line): string {
    let x = Math.round(line.x);
    let drawn = '';
    for (const letter of text) {
      const mark = this.#mark(letter);
      const scale = line.size / 1000;
      if (mark.drawn) drawn += `<g transform="translate(${x} ${line.baseline}) scale(${scale})">${mark.drawn}</g>`;
      x += Math.round(mark.advance * scale);
    }
    return `<g fill="${hex(line.colour)}">${drawn}</g>`;
  }

  #mark(letter: string): Mark {
    const code = letter.codePointAt(0) ?? 32;
    const known = this.#marks.get(code);
    if (known) return known;
    const made = this.#make(code);
    this.#marks.set(code, made);
    return made;
  }

  #make(code: number): Mark {
    if (code >= TONES.first && code <= TONES.last) return { advance: 0, drawn: '' };
    const emoji = code >= FIRST_EMOJI ? this.#emoji(code) : undefined;
    if (emoji) return markOf(emoji);
    const { advance, contours } = this.#font.glyph(code);
    return { advance, drawn: contours.length > 0 ? `<path d="${pathOf(contours)}"/>` : '' };
  }
}

function markOf({ layers, width }: EmojiPicture): Mark {
  const x = (width * EMOJI.size) / 2 + EMOJI.aside;
  const paths = layers.map(({ colour, path }) => `<path fill="${hex(colour)}" d="${path}"/>`);
  const scale = EMOJI.size / 1000;
  const drawn = `<g transform="translate(${Math.round(x)} ${EMOJI.below}) scale(${scale})">${paths.join('')}</g>`;
  return { advance: width * EMOJI.size + 2 * EMOJI.aside, drawn };
}

const SPACE: Glyph = { advance: 260, contours: [] };
/** What stands for a letter that the font lacks. */
const BOX: Glyph = {
  advance: 760,
  contours: [
    [40, -760, 720, -760, 720, 40, 40, 40],
    [100, -700, 100, -20, 660, -20, 660, -700],
  ],
};
const FIRST_EAST_ASIAN = 0x2e80;
const WIDE_SPACE = 0x3000;

/** The shipped outlines. A line of the file is read when its glyph is first wanted. */
class OutlineFont {
  readonly #lines = new Map<number, string>();
  readonly #glyphs = new Map<number, Glyph>();
  readonly #eastAsian = new EastAsianGlyphs();

  constructor(path = join(fixtureFolder(), 'font/outlines.txt')) {
    for (const line of readFileSync(path, 'latin1').split('\n')) {
      const space = line.indexOf(' ');
      if (space > 0) this.#lines.set(Number(line.slice(0, space)), line.slice(space + 1));
    }
  }

  /** The glyph of a code point; where the font has none, a small box. */
  glyph(code: number): Glyph {
    const known = this.#glyphs.get(code);
    if (known) return known;
    const made = this.#make(code);
    this.#glyphs.set(code, made);
    return made;
  }

  #make(code: number): Glyph {
    if (code <= 32 || code === 0xa0) return SPACE;
    if (code === WIDE_SPACE) return { advance: 1000, contours: [] };
    const line = this.#lines.get(code);
    if (line !== undefined) return parse(line);
    return (code >= FIRST_EAST_ASIAN ? this.#eastAsian.glyph(code) : undefined) ?? BOX;
  }
}

function parse(line: string): Glyph {
  const [advance, ...drawn] = line.split(';');
  return { advance: Number(advance), contours: drawn.map(absolute) };
}

function absolute(drawn: string): number[] {
  const points = drawn.split(' ').map(Number);
  for (let at = 2; at < points.length; at++) points[at] = (points[at] ?? 0) + (points[at - 2] ?? 0);
  return points;
}
