import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fixtureFolder } from '../../package/fixture-folder.ts';
import { type Canvas, fillShape } from '../paint/canvas.ts';
import { blend, type Rgb } from '../paint/palette.ts';
import { contrast, rgb, saturate } from '../paint/rgb.ts';
import { hashText, wave } from '../paint/seeded-random.ts';

/** How one engine's clips differ from all others': colours, edge of the picture, emblem. */
export interface EngineLook {
  accent: Rgb;
  bar: Rgb;
  edge: string;
  grade: (colour: Rgb) => Rgb;
  points: number;
  inner: number;
}

interface LookEntry {
  accent: string;
  bar: string;
  tint: string;
  share: number;
  saturation: number;
  contrast: number;
  edge: string;
  points: number;
  inner: number;
}

/** The looks of the published engines; a name that is not among them borrows one. */
export class EngineLooks {
  readonly #entries: Record<string, LookEntry>;

  constructor(path = join(fixtureFolder(), 'lexicon/engine-looks.json')) {
    this.#entries = JSON.parse(readFileSync(path, 'utf8')) as Record<string, LookEntry>;
  }

  of(engine: string): EngineLook {
    const all = Object.values(this.#entries);
    const entry = this.#entries[engine] ?? all[hashText(engine) % all.length];
    if (!entry) throw new Error('The list of engine looks is empty.');
    const tint = rgb(entry.tint);
    const grade = (colour: Rgb) =>
      contrast(saturate(blend(colour, tint, entry.share), entry.saturation), entry.contrast);
    return { ...entry, accent: rgb(entry.accent), bar: rgb(entry.bar), grade };
  }
}

/** Draws the engine's emblem: a star or a polygon. */
export function drawEmblem(canvas: Canvas, look: EngineLook, spot: { x: number; y: number; size: number }): void {
  const outline: number[] = [];
  const corners = look.points * 2;
  for (let corner = 0; corner < corners; corner++) {
    const turn = corner / corners - 0.25;
    const inset = look.inner === 1 ? wave(0.25 + 0.5 / look.points) : look.inner;
    const radius = spot.size * (corner % 2 === 0 ? 1 : inset);
    outline.push(spot.x + wave(turn + 0.25) * radius, spot.y + wave(turn) * radius);
  }
  fillShape(canvas, [outline], canvas.palette.ensure(look.accent));
}
