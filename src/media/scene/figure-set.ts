import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageDataFolder } from '../../base/package/package-folder.ts';
import { readBrotliFile, VarintReader } from '../packed-file.ts';
import { type Rgb, svgPathData } from '../paint/rgb.ts';

export type Habitat = 'air' | 'ground' | 'water' | 'deep' | 'space';

interface Layer {
  colour: Rgb;
  path: string;
  area: number;
}

/** A colored figure on y = 0, centered at x = 0. Its longer side is 1. */
export interface FigureShape {
  concept: string;
  home: Habitat;
  size: number;
  layers: readonly Layer[];
  width: number;
  height: number;
}

interface Row {
  concept: string;
  home: Habitat;
  size: number;
  at: number;
  length: number;
  fills: Rgb[];
}

const UNIT = 512;

/** The name of an emoji that has no concept of its own: its code point, such as `u1f499`. Its figure is in a file of its own. */
const CODE = /^u[0-9a-f]{4,5}(?:-|$)/;

export class FigureSet {
  readonly #named: FigureFile;
  readonly #folder: string;
  #others: FigureFile | undefined;

  constructor(folder = join(packageDataFolder(), 'lexicon')) {
    this.#folder = folder;
    this.#named = new FigureFile(join(folder, 'figures.br'));
  }

  shape(concept: string): FigureShape | undefined {
    return this.#fileOf(concept).shape(concept);
  }

  home(concept: string): Habitat | undefined {
    return this.#fileOf(concept).home(concept);
  }

  conceptOf(code: string): string | undefined {
    return this.#named.conceptOf(code) ?? this.#fileOf(`u${code}`).conceptOf(code);
  }

  #fileOf(concept: string): FigureFile {
    if (!CODE.test(concept)) return this.#named;
    this.#others ??= new FigureFile(join(this.#folder, 'emoji.br'));
    return this.#others;
  }
}

class FigureFile {
  readonly #rows = new Map<string, Row>();
  readonly #concepts = new Map<string, string>();
  readonly #shapes = new Map<string, FigureShape>();
  readonly #bytes: Buffer;

  constructor(path: string) {
    const bytes = readBrotliFile(path);
    const end = bytes.indexOf('\n\n');
    this.#bytes = bytes.subarray(end + 2);
    for (const line of bytes.toString('latin1', 0, end).split('\n')) {
      const [concept = '', home = 'ground', size, codes = '', at, length, fills = ''] = line.split(' ');
      this.#rows.set(concept, {
        concept,
        home: home as Habitat,
        size: Number(size),
        at: Number(at),
        length: Number(length),
        fills: fills.split(',').map((fill) => Number.parseInt(fill, 16)),
      });
      for (const code of codes.split(',')) this.#concepts.set(code, concept);
    }
  }

  shape(concept: string): FigureShape | undefined {
    const known = this.#shapes.get(concept);
    const row = this.#rows.get(concept);
    if (known || !row) return known;
    const made = unpack(row, this.#bytes.subarray(row.at, row.at + row.length));
    this.#shapes.set(concept, made);
    return made;
  }

  home(concept: string): Habitat | undefined {
    return this.#rows.get(concept)?.home;
  }

  conceptOf(code: string): string | undefined {
    return this.#concepts.get(code);
  }
}

function unpack({ concept, home, size, fills }: Row, bytes: Buffer): FigureShape {
  const reader = new VarintReader(bytes);
  let [half, height] = [0, 0];
  const layers = fills.map((colour) => {
    const contours = Array.from({ length: reader.next() }, () => contourOf(reader));
    for (const points of contours) {
      for (let at = 0; at < points.length; at += 2) {
        half = Math.max(half, Math.abs(points[at] ?? 0));
        height = Math.max(height, -(points[at + 1] ?? 0));
      }
    }
    const area = Math.abs(contours.reduce((sum, points) => sum + areaOf(points), 0));
    return { colour, path: svgPathData(contours, 1000), area };
  });
  return { concept, home, size, layers, width: 2 * half, height };
}

function areaOf(points: readonly number[]): number {
  let sum = 0;
  for (let at = 0; at < points.length; at += 2) {
    const next = (at + 2) % points.length;
    sum += (points[at] ?? 0) * (points[next + 1] ?? 0) - (points[next] ?? 0) * (points[at + 1] ?? 0);
  }
  return sum / 2;
}

function contourOf(reader: VarintReader): number[] {
  const count = reader.next();
  const points: number[] = [];
  let [x, y] = [0, 0];
  for (let point = 0; point < count; point++) {
    x += reader.step();
    y += reader.step();
    points.push(x / UNIT, y / UNIT);
  }
  return points;
}

export class SilhouetteSet {
  readonly #paths = new Map<string, string>();

  constructor(path = join(packageDataFolder(), 'lexicon/silhouettes.txt')) {
    for (const line of readFileSync(path, 'latin1').split('\n')) {
      const [name = '', ...rest] = line.split(' ');
      const contours = rest.join(' ').split(';').filter(Boolean);
      this.#paths.set(name, svgPathData(contours.map((contour) => contour.split(' ').map(Number))));
    }
  }

  path(name: string): string {
    return this.#paths.get(name) ?? '';
  }
}
