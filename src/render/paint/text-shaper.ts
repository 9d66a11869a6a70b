import { join } from 'node:path';
import { fixtureFolder } from '../../package/fixture-folder.ts';
import { readPacked } from '../packed-file.ts';
import type { ShapedScript } from './text-runs.ts';

type HarfBuzz = typeof import('harfbuzzjs');

/** A glyph of a shaped run, in thousandths of the em. */
export interface ShapedGlyph {
  /** The same for the same outline. */
  key: string;
  advance: number;
  /** How far it is moved from where the pen is. */
  right: number;
  up: number;
  contours: number[][];
}

const CURVE_PARTS = 4;
const TAGS: Record<ShapedScript, string> = { arabic: 'Arab', hebrew: 'Hebr', devanagari: 'Deva', thai: 'Thai' };

/** Joins, orders and places letters as the scripts want it. */
export class TextShaper {
  readonly #harfbuzz: HarfBuzz;
  readonly #fonts = new Map<ShapedScript, { font: InstanceType<HarfBuzz['Font']>; unitsPerEm: number }>();
  readonly #outlines = new Map<string, number[][]>();

  private constructor(harfbuzz: HarfBuzz) {
    this.#harfbuzz = harfbuzz;
  }

  /** Loads the shaping engine, which takes some milliseconds. */
  static async load(): Promise<TextShaper> {
    return new TextShaper(await import('harfbuzzjs'));
  }

  /** The glyphs of a run from left to right. */
  shape(text: string, script: ShapedScript): ShapedGlyph[] {
    const { font, unitsPerEm } = this.#font(script);
    const buffer = new this.#harfbuzz.Buffer();
    buffer.addText(text);
    buffer.setScript(TAGS[script]);
    buffer.guessSegmentProperties();
    this.#harfbuzz.shape(font, buffer);
    const positions = buffer.getGlyphPositions();
    const scale = 1000 / unitsPerEm;
    return buffer.getGlyphInfos().map(({ codepoint }, at) => {
      const { xAdvance = 0, xOffset = 0, yOffset = 0 } = positions[at] ?? {};
      const key = `${script} ${codepoint}`;
      return {
        ...{ key, advance: xAdvance * scale, right: xOffset * scale, up: yOffset * scale },
        contours: this.#outline(key, () => contoursOf(font.glyphToPath(codepoint), scale)),
      };
    });
  }

  #font(script: ShapedScript) {
    const known = this.#fonts.get(script);
    if (known) return known;
    const { Blob, Face, Font } = this.#harfbuzz;
    const bytes = readPacked(join(fixtureFolder(), `font/${script}.br`));
    const face = new Face(new Blob(bytes));
    const made = { font: new Font(face), unitsPerEm: face.upem };
    this.#fonts.set(script, made);
    return made;
  }

  #outline(key: string, make: () => number[][]): number[][] {
    const known = this.#outlines.get(key);
    if (known) return known;
    const made = make();
    this.#outlines.set(key, made);
    return made;
  }
}

/** An SVG path of lines and quadratic curves as closed contours of lines; y grows downwards. */
function contoursOf(path: string, scale: number): number[][] {
  const contours: number[][] = [];
  for (const [, kind = '', values = ''] of path.matchAll(/([MLQCZ])([^MLQCZ]*)/g)) {
    if (kind === 'M') contours.push([]);
    const points = values.split(/[ ,]+/).filter((value) => value !== '');
    const placed = points.map((value, at) => Number(value) * (at % 2 === 0 ? scale : -scale));
    const contour = contours.at(-1);
    if (contour) contour.push(...(kind === 'Q' ? curve(contour.slice(-2), placed) : placed));
  }
  return contours.filter((points) => points.length > 4);
}

function curve([x = 0, y = 0]: number[], [cx = 0, cy = 0, endX = 0, endY = 0]: number[]): number[] {
  return Array.from({ length: CURVE_PARTS }, (_, at) => (at + 1) / CURVE_PARTS).flatMap((t) => {
    const [a, b, c] = [(1 - t) * (1 - t), 2 * t * (1 - t), t * t];
    return [a * x + b * cx + c * endX, a * y + b * cy + c * endY];
  });
}
