import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fixtureFolder } from '../../package/fixture-folder.ts';
import { EastAsianGlyphs, type Glyph } from './east-asian-glyphs.ts';

const SPACE: Glyph = { advance: 260, contours: [] };
const BOX_ADVANCE = 760;
const FIRST_EAST_ASIAN = 0x2e80;
const WIDE_SPACE = 0x3000;

/** The shipped outlines. A line of the file is read when its glyph is first wanted. */
export class OutlineFont {
  readonly #lines = new Map<number, string>();
  readonly #glyphs = new Map<number, Glyph>();
  readonly #eastAsian = new EastAsianGlyphs();

  constructor(path = join(fixtureFolder(), 'font/outlines.txt')) {
    for (const line of readFileSync(path, 'latin1').split('\n')) {
      const space = line.indexOf(' ');
      if (space > 0) this.#lines.set(Number(line.slice(0, space)), line.slice(space + 1));
    }
  }

  /** The glyph of a code point; where the font has none, its code in a small box. */
  glyph(code: number): Glyph {
    const known = this.#glyphs.get(code);
    if (known) return known;
    const made = this.#make(code);
    this.#glyphs.set(code, made);
    return made;
  }

  /** Width of a text in thousandths of the em. */
  measure(text: string): number {
    let width = 0;
    for (const letter of text) width += this.glyph(letter.codePointAt(0) ?? 32).advance;
    return width;
  }

  #make(code: number): Glyph {
    if (code <= 32 || code === 0xa0) return SPACE;
    if (code === WIDE_SPACE) return { advance: 1000, contours: [] };
    const line = this.#lines.get(code);
    if (line !== undefined) return parse(line);
    return (code >= FIRST_EAST_ASIAN ? this.#eastAsian.glyph(code) : undefined) ?? this.#codeBox(code);
  }

  #codeBox(code: number): Glyph {
    const digits = code.toString(16).toUpperCase().padStart(4, '0');
    const half = Math.ceil(digits.length / 2);
    const contours = [
      [40, -760, BOX_ADVANCE - 40, -760, BOX_ADVANCE - 40, 40, 40, 40],
      [80, -720, 80, 0, BOX_ADVANCE - 80, 0, BOX_ADVANCE - 80, -720],
      ...this.#small(digits.slice(0, half), -400),
      ...this.#small(digits.slice(half), -60),
    ];
    return { advance: BOX_ADVANCE, contours };
  }

  #small(digits: string, baseline: number): number[][] {
    const size = 0.4;
    let x = (BOX_ADVANCE - this.measure(digits) * size) / 2;
    const contours: number[][] = [];
    for (const digit of digits) {
      const glyph = this.glyph(digit.charCodeAt(0));
      for (const points of glyph.contours) {
        contours.push(points.map((v, at) => v * size + (at % 2 === 0 ? x : baseline)));
      }
      x += glyph.advance * size;
    }
    return contours;
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
