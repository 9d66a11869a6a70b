// Own code: letters are the same on machines with and without fonts, so that the same request makes the same picture.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fixtureFolder } from '../../base/package/fixture-folder.ts';
import { EastAsianGlyphs, type Glyph } from './east-asian-glyphs.ts';

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
