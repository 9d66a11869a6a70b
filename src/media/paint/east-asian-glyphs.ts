// Own code, as the outlines of all letters are.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { fixtureFolder } from '../../base/package/fixture-folder.ts';
import { VarintReader } from '../packed-file.ts';

/** A glyph in thousandths of the em; y grows downwards, the baseline is 0. */
export interface Glyph {
  advance: number;
  contours: number[][];
}

interface Block {
  first: number;
  last: number;
  at: number;
  length: number;
}

/** Thousandths of the em in a unit of the file. */
const UNIT = 10;
/** Lines that a curve is drawn with. */
const CURVE_PARTS = 3;

interface Point {
  x: number;
  y: number;
  /** Towards which the line bends. */
  isControl: boolean;
}

/** Chinese, Japanese and Korean glyphs; a block of them is unpacked when its first one is wanted. */
export class EastAsianGlyphs {
  readonly #path: string;
  #bytes: Buffer | undefined;
  #blocks: Block[] = [];
  readonly #unpacked = new Map<Block, Map<number, Glyph>>();

  constructor(path = join(fixtureFolder(), 'font/east-asian.br')) {
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

/** Heads, steps across and steps down lie one behind the other. */
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
  pen.x += signed(across >> 1);
  pen.y += down;
  return { x: pen.x * UNIT, y: pen.y * UNIT, isControl: (across & 1) === 1 };
}

function signed(value: number): number {
  return value & 1 ? -(value + 1) / 2 : value / 2;
}

/** Between two controls lies a point in their middle. */
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
