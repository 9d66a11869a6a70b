import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { packageDataFolder } from '../../base/package/package-folder.ts';
import { decodeZigzag, VarintReader } from '../packed-file.ts';
import { emojiCodeCandidates, flagLetters, splitCharactersAndEmoji, type TextPart } from './emoji.ts';
import { formatHexColor, type Rgb, svgPathData } from './rgb.ts';

interface Line {
  x: number;
  baseline: number;
  size: number;
  colour: Rgb;
}

interface EmojiPicture {
  layers: readonly { colour: Rgb; path: string }[];
  width: number;
}

interface Mark {
  advance: number;
  drawn: string;
}

/** In thousandths of the em: size, depth below the baseline, and space on both sides. */
const EMOJI = { size: 980, below: 110, aside: 60 };

/** Draws text as SVG paths, so that it does not depend on the fonts of the machine. Glyphs start at whole pixels. */
export class Lettering {
  readonly #font = new OutlineFont();
  readonly #emoji: (code: string) => EmojiPicture | undefined;
  readonly #marks = new Map<string, Mark>();

  constructor(emoji: (code: string) => EmojiPicture | undefined) {
    this.#emoji = emoji;
  }

  measure(text: string, size: number): number {
    const known = this.#marks.get(text);
    if (known) return Math.round((known.advance * size) / 1000);
    let width = 0;
    for (const part of splitCharactersAndEmoji(text)) width += Math.round((this.#mark(part).advance * size) / 1000);
    return width;
  }

  draw(text: string, line: Line): string {
    let x = Math.round(line.x);
    let drawn = '';
    for (const part of splitCharactersAndEmoji(text)) {
      const mark = this.#mark(part);
      const scale = line.size / 1000;
      if (mark.drawn) drawn += `<g transform="translate(${x} ${line.baseline}) scale(${scale})">${mark.drawn}</g>`;
      x += Math.round(mark.advance * scale);
    }
    return `<g fill="${formatHexColor(line.colour)}">${drawn}</g>`;
  }

  /**
   * The text in one line, without unknown emoji and the scripts in `SHAPED`. Other letters without a glyph stay, and become
   * boxes. Empty if half of it or more lacks a glyph.
   */
  visible(text: string): string {
    const parts = [...splitCharactersAndEmoji(text.replace(/\s+/gu, ' ').normalize('NFC'))].filter(
      ({ text: part, emoji }) => emoji !== undefined || !isWithin(INVISIBLE, part),
    );
    const shown = parts.filter((part) => this.#canStand(part)).map((part) => this.#written(part));
    const lacking = parts.filter((part) => !this.#canStand(part) || !this.#isKnown(part)).length;
    if (lacking > 0 && lacking * 2 >= parts.length) return '';
    return shown.join('').replace(/ +/g, ' ').trim();
  }

  #written({ text, emoji }: TextPart): string {
    if (emoji === undefined || this.#emoji(emoji)) return text;
    const known = emojiCodeCandidates(emoji).filter((code) => this.#emoji(code));
    const members = known.map((code) => String.fromCodePoint(Number.parseInt(code, 16)));
    return flagLetters(emoji) ?? (members.length > 0 ? members.join('') : text);
  }

  #canStand(part: TextPart): boolean {
    return part.emoji === undefined ? !isWithin(SHAPED, part.text) : this.#isKnown(part);
  }

  #isKnown({ text, emoji }: TextPart): boolean {
    if (emoji === undefined) return this.#font.has(text.codePointAt(0) ?? 0);
    return flagLetters(emoji) !== undefined || this.#pictureOf(emoji) !== undefined || this.#font.has(baseOf(text));
  }

  #pictureOf(code: string): EmojiPicture | undefined {
    for (const each of emojiCodeCandidates(code)) {
      const picture = this.#emoji(each);
      if (picture) return picture;
    }
    return undefined;
  }

  #mark({ text, emoji }: TextPart): Mark {
    const known = this.#marks.get(text);
    if (known) return known;
    const picture = emoji === undefined ? undefined : this.#pictureOf(emoji);
    const made = picture ? markOf(picture) : this.#glyph(baseOf(text));
    this.#marks.set(text, made);
    return made;
  }

  #glyph(code: number): Mark {
    const { advance, contours } = this.#font.glyph(code);
    return { advance, drawn: contours.length > 0 ? `<path d="${svgPathData(contours)}"/>` : '' };
  }
}

function baseOf(text: string): number {
  return text.codePointAt(0) ?? 32;
}

function markOf({ layers, width }: EmojiPicture): Mark {
  const x = (width * EMOJI.size) / 2 + EMOJI.aside;
  const paths = layers.map(({ colour, path }) => `<path fill="${formatHexColor(colour)}" d="${path}"/>`);
  const scale = EMOJI.size / 1000;
  const drawn = `<g transform="translate(${Math.round(x)} ${EMOJI.below}) scale(${scale})">${paths.join('')}</g>`;
  return { advance: width * EMOJI.size + 2 * EMOJI.aside, drawn };
}

const SPACE: Glyph = { advance: 260, contours: [] };
const BOX: Glyph = {
  advance: 760,
  contours: [
    [40, -760, 720, -760, 720, 40, 40, 40],
    [100, -700, 100, -20, 660, -20, 660, -700],
  ],
};
const FIRST_EAST_ASIAN = 0x2e80;
const WIDE_SPACE = 0x3000;

class OutlineFont {
  readonly #lines = new Map<number, string>();
  readonly #glyphs = new Map<number, Glyph>();
  readonly #eastAsian = new EastAsianGlyphs();

  constructor(path = join(packageDataFolder(), 'font/outlines.txt')) {
    for (const line of readFileSync(path, 'latin1').split('\n')) {
      const space = line.indexOf(' ');
      if (space > 0) this.#lines.set(Number(line.slice(0, space)), line.slice(space + 1));
    }
  }

  has(code: number): boolean {
    return this.glyph(code) !== BOX;
  }

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

/** A glyph in thousandths of the em. y grows downwards, and the baseline is 0. */
interface Glyph {
  advance: number;
  contours: number[][];
}

interface Block {
  first: number;
  last: number;
  at: number;
  length: number;
}

const UNIT = 10;
const CURVE_PARTS = 3;

interface Point {
  x: number;
  y: number;
  isControl: boolean;
}

export class EastAsianGlyphs {
  readonly #path: string;
  #bytes: Buffer | undefined;
  #blocks: Block[] = [];
  readonly #unpacked = new Map<Block, Map<number, Glyph>>();

  constructor(path = join(packageDataFolder(), 'font/east-asian.br')) {
    this.#path = path;
  }

  glyph(code: number): Glyph | undefined {
    const bytes = this.#bytes ?? this.#read();
    const block = this.#blocks.find(({ first, last }) => code >= first && code <= last);
    if (!block) return undefined;
    const known = this.#unpacked.get(block);
    const glyphs = known ?? unpack(brotliDecompressSync(bytes.subarray(block.at, block.at + block.length)));
    if (!known) this.#unpacked.set(block, glyphs);
    return glyphs.get(code);
  }

  #read(): Buffer {
    const bytes = readFileSync(this.#path);
    const end = bytes.indexOf('\n\n');
    this.#blocks = bytes
      .toString('latin1', 0, end)
      .split('\n')
      .map((line) => {
        const [first = 0, last = 0, at = 0, length = 0] = line.split(' ').map(Number);
        return { first, last, at: end + 2 + at, length };
      });
    this.#bytes = bytes;
    return bytes;
  }
}

function unpack(bytes: Buffer): Map<number, Glyph> {
  const heads = new VarintReader(bytes);
  const [count, headBytes, acrossBytes] = [heads.next(), heads.next(), heads.next()];
  const across = new VarintReader(bytes, heads.at + headBytes);
  const down = new VarintReader(bytes, heads.at + headBytes + acrossBytes);
  const glyphs = new Map<number, Glyph>();
  let code = 0;
  for (let glyph = 0; glyph < count; glyph++) {
    code += heads.next();
    const advance = heads.next() * UNIT;
    const pen = { x: 0, y: 0 };
    const contours = Array.from({ length: heads.next() }, () => {
      const points = Array.from({ length: heads.next() }, () => pointOf(pen, across.next(), down.step()));
      return flattened(points);
    });
    glyphs.set(code, { advance, contours });
  }
  return glyphs;
}

function pointOf(pen: { x: number; y: number }, across: number, down: number): Point {
  pen.x += decodeZigzag(across >> 1);
  pen.y += down;
  return { x: pen.x * UNIT, y: pen.y * UNIT, isControl: (across & 1) === 1 };
}

function flattened(points: readonly Point[]): number[] {
  const flat: number[] = [];
  const at = (index: number): Point =>
    points[(index + points.length) % points.length] ?? { x: 0, y: 0, isControl: false };
  for (let index = 0; index < points.length; index++) {
    const point = at(index);
    if (!point.isControl) {
      flat.push(point.x, point.y);
      continue;
    }
    const from = endTowards(at(index - 1), point);
    const to = endTowards(at(index + 1), point);
    const last = at(index + 1).isControl ? CURVE_PARTS : CURVE_PARTS - 1;
    for (let part = 1; part <= last; part++) {
      const t = part / CURVE_PARTS;
      const [a, b, c] = [(1 - t) * (1 - t), 2 * t * (1 - t), t * t];
      flat.push(a * from.x + b * point.x + c * to.x, a * from.y + b * point.y + c * to.y);
    }
  }
  return flat;
}

function endTowards(other: Point, control: Point): { x: number; y: number } {
  return other.isControl ? { x: (other.x + control.x) / 2, y: (other.y + control.y) / 2 } : other;
}

const INVISIBLE = rangesOf(
  '0-1f 7f-9f ad-ad 34f-34f 115f-1160 17b4-17b5 180b-180f 200b-200f 202a-202e 2060-206f d800-dfff fe00-fe0f feff-feff fff9-fffb 1bca0-1bca3 e0000-e0fff',
);
/** Scripts that are not drawn, because they run from right to left or their letters change with their neighbours. */
const SHAPED = rangesOf('590-77f 900-97f e00-e7f fb1d-fdff fe70-fefc');

function rangesOf(listed: string): [first: number, last: number][] {
  return listed
    .split(' ')
    .map((range) => range.split('-').map((code) => Number.parseInt(code, 16)) as [number, number]);
}

function isWithin(ranges: typeof SHAPED, letter: string): boolean {
  const code = letter.codePointAt(0) ?? 0;
  return ranges.some(([first, last]) => code >= first && code <= last);
}

export function wrapText(text: string, width: number, most: number, measure: (text: string) => number): string[] {
  const lines: string[] = [];
  let rest = text;
  while (rest !== '' && lines.length < most) {
    const taken = takeLine(rest, width, measure);
    lines.push(taken.trimEnd());
    rest = rest.slice(taken.length).trimStart();
  }
  if (rest !== '') lines.push(ellipsed(lines.pop() ?? '', width, measure));
  return lines;
}

function takeLine(text: string, width: number, measure: (text: string) => number): string {
  let [used, at, afterSpace] = [0, 0, 0];
  for (const { text: letter } of splitCharactersAndEmoji(text)) {
    used += measure(letter);
    if (used > width && at > 0) return text.slice(0, afterSpace > 0 ? afterSpace : at);
    at += letter.length;
    if (letter === ' ') afterSpace = at;
  }
  return text;
}

function ellipsed(line: string, width: number, measure: (text: string) => number): string {
  const letters = [...splitCharactersAndEmoji(line)].map(({ text }) => text);
  while (letters.length > 0 && measure(`${letters.join('')}…`) > width) letters.pop();
  return `${letters.join('').trimEnd()}…`;
}
