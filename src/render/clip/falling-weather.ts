import type { Overlay } from '../h264/overlay.ts';
import { SeededRandom, wave } from '../paint/seeded-random.ts';
import { BLOCK, type ClipLayout } from './clip-layout.ts';
import type { Falling } from './clip-scene.ts';
import { type Fall, type FallShapes, newDrop, newFlake } from './fall-shapes.ts';
import type { StillPart } from './motion-field.ts';
import type { Planes } from './picture-planes.ts';

export interface WeatherPlan {
  kind: Falling;
  seed: number;
  /** Frames from one key picture to the next. */
  step: number;
  /** Nothing falls over these. */
  still: readonly StillPart[];
}

type Visit = (at: number, key: number) => void;
/** In a square picture. */
const COUNTS = { rain: 120, storm: 128, snow: 160 };
/** How far rain goes aside while it falls. */
const LEAN = { rain: 0.12, storm: 0.4, snow: 0 };
/** As bright, and as dark, as a picture can be. */
const WHITE = 235;
const BLACK = 16;
const PIXELS = Array.from({ length: BLOCK * BLOCK }, (_, pixel) => pixel);

/** Rain or snow, laid over the frames of a clip as light; it goes on from one key picture to the next. */
export class FallingWeather {
  readonly #layout: ClipLayout;
  readonly #plan: WeatherPlan;
  readonly #shapes: FallShapes;
  readonly #free: Uint8Array;
  readonly #falls: readonly Fall[];
  /** What each key picture shows: places and shapes. */
  readonly #put: [at: number, key: number][][] = [];

  constructor(layout: ClipLayout, plan: WeatherPlan, shapes: FallShapes) {
    this.#layout = layout;
    this.#plan = plan;
    this.#shapes = shapes;
    this.#free = freePlaces(layout, plan.still);
    const count = Math.round((COUNTS[plan.kind] * layout.width) / layout.height);
    const random = new SeededRandom(plan.seed);
    const one = plan.kind === 'snow' ? newFlake : newDrop;
    this.#falls = Array.from({ length: count }, (_, at) => one(at, random, layout, plan.step));
  }

  /** What is laid over each macroblock of the scene, `next` frames after a key picture. */
  over(next: number): (Overlay | undefined)[] {
    const laid = new Array<Overlay | undefined>(this.#free.length).fill(undefined);
    this.#each(next, (at, key) => {
      laid[at] ??= this.#shapes.overlay(key, false);
    });
    return laid;
  }

  /** What takes off what was put into the key picture of a stretch. */
  off(stretch: number): (Overlay | undefined)[] {
    const laid = new Array<Overlay | undefined>(this.#free.length).fill(undefined);
    for (const [at, key] of this.#put[stretch] ?? []) laid[at] = this.#shapes.overlay(key, true);
    return laid;
  }

  /** Puts into the key picture of the next stretch what falls there, but not where it is too bright to be taken off again. */
  put({ bytes, width }: Planes): void {
    const { columns } = this.#layout;
    const put = new Map<number, number>();
    this.#each(0, (at, key) => {
      const overlay = put.has(at) ? undefined : this.#shapes.overlay(key, false);
      if (!overlay) return;
      const start = Math.floor(at / columns) * BLOCK * width + (at % columns) * BLOCK;
      const places = PIXELS.map((pixel) => start + Math.floor(pixel / BLOCK) * width + (pixel % BLOCK));
      const lit = places.map((to, pixel) => (bytes[to] ?? 0) + (overlay.light[pixel] ?? 0));
      if (lit.some((light) => light > WHITE || light < BLACK)) return;
      for (const [pixel, to] of places.entries()) bytes[to] = lit[pixel] ?? 0;
      put.set(at, key);
    });
    this.#put.push([...put]);
  }

  #each(next: number, visit: Visit): void {
    const share = next / this.#plan.step;
    const free: Visit = (at, key) => {
      if (this.#free[at] === 1) visit(at, key);
    };
    for (const fall of this.#falls) {
      if (this.#plan.kind === 'snow') this.#flake(fall, share, free);
      else this.#drop(fall, share, free);
    }
  }

  /** Drops fall whole macroblocks, and each time they come somewhere else. */
  #drop({ begins, times, light, size, places }: Fall, share: number, visit: Visit): void {
    const { columns, barRow } = this.#layout;
    const way = begins + times * share;
    const [from, across] = places[Math.floor(way) % times] ?? [0, 0];
    const row = Math.floor((way % 1) * (barRow + size)) - size;
    const aside = Math.floor((row + size) * LEAN[this.#plan.kind]);
    const column = (from + columns - (aside % columns)) % columns;
    const key = this.#shapes.drop(light, across);
    for (let at = Math.max(0, row); at < Math.min(barRow, row + size); at++) visit(at * columns + column, key);
  }

  /** A flake may lie on the edges of up to four macroblocks. */
  #flake({ begins, times, light, size, places, phase }: Fall, share: number, visit: Visit): void {
    const { columns, barRow } = this.#layout;
    const high = barRow * BLOCK;
    const down = (begins + times * share) % 1;
    const [column = 0, within = 0] = places[0] ?? [];
    const swayed = column * BLOCK + within + high * (0.14 * down + 0.02 * wave(down * 3 + phase));
    const [x, y] = [onGrid(swayed) % (columns * BLOCK), onGrid(down * high)];
    const [left, right] = [Math.floor((x - size) / BLOCK), Math.floor((x + size) / BLOCK)];
    const [top, bottom] = [Math.floor((y - size) / BLOCK), Math.floor((y + size) / BLOCK)];
    for (let row = Math.max(0, top); row <= Math.min(barRow - 1, bottom); row++) {
      for (let at = Math.max(0, left); at <= Math.min(columns - 1, right); at++) {
        visit(row * columns + at, this.#shapes.flake(light, size, x - at * BLOCK, y - row * BLOCK));
      }
    }
  }
}

/** 1 for each macroblock of which no part stands still. */
function freePlaces({ columns, barRow }: ClipLayout, still: readonly StillPart[]): Uint8Array {
  return Uint8Array.from({ length: columns * barRow }, (_, at) => {
    const [x, y] = [(at % columns) * BLOCK, Math.floor(at / columns) * BLOCK];
    const isStill = still.some(
      (part) => x < part.x + part.width && x + BLOCK > part.x && y < part.y + part.height && y + BLOCK > part.y,
    );
    return isStill ? 0 : 1;
  });
}

/** The middle of the nearest block of 4 × 4: a small flake then lies in that alone, which takes the fewest bits. */
function onGrid(place: number): number {
  return Math.floor(place / 4) * 4 + 1;
}
