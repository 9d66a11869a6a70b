import { type Overlay, overlayOf } from '../h264/overlay.ts';
import type { SeededRandom } from '../paint/seeded-random.ts';
import { BLOCK, type ClipLayout } from './clip-layout.ts';

/** By how much each pixel of a macroblock is brighter, of 255. */
type Change = (x: number, y: number) => number;

/** Radii and places are told in numbers below these. */
const RADII = 64;
const PLACES = 64;
/** Flakes begin this far outside of the macroblock at most. */
const OUTSIDE = 16;
/** In parts of a pixel. */
const FINE = 4;
/** The most light there is. */
const LIGHTS = 256;

/** What falls, as seen in one macroblock; each shape is coded once for all clips. */
export class FallShapes {
  readonly #put = new Map<number, Overlay>();
  readonly #taken = new Map<number, Overlay>();

  /** Names a drop that passes so far from the left. */
  drop(light: number, across: number): number {
    return keyOf(light, 0, across, 0);
  }

  /** Names a flake around the corner below right of a pixel of the macroblock, or of one near it. */
  flake(light: number, radius: number, x: number, y: number): number {
    return keyOf(light, Math.max(1, Math.round(radius * FINE)), x, y);
  }

  /** What lays a shape over a macroblock, or takes it off; undefined where so little of it is left that nothing would be seen. */
  overlay(key: number, off: boolean): Overlay | undefined {
    const known = off ? this.#taken : this.#put;
    let overlay = known.get(key);
    if (!overlay) {
      const change = this.#change(key);
      overlay = overlayOf(off ? (x, y) => -change(x, y) : change);
      known.set(key, overlay);
    }
    return overlay.quarters > 0 ? overlay : undefined;
  }

  #change(key: number): Change {
    const y = (key % PLACES) - OUTSIDE;
    const x = (Math.floor(key / PLACES) % PLACES) - OUTSIDE;
    const radius = (Math.floor(key / PLACES ** 2) % RADII) / FINE;
    const light = Math.floor(key / PLACES ** 2 / RADII);
    return radius === 0 ? streak(light, x) : disc({ light, radius, x: x + 0.5, y: y + 0.5 });
  }
}

function keyOf(light: number, radius: number, x: number, y: number): number {
  const size = Math.min(LIGHTS - 1, light) * RADII + Math.min(RADII - 1, radius);
  return (size * PLACES + x + OUTSIDE) * PLACES + y + OUTSIDE;
}

/** A macroblock high, two pixels wide, a little aslant. */
function streak(light: number, across: number): Change {
  return (x, y) => {
    const upper = y < BLOCK / 2;
    if (x === across) return upper ? light * 0.6 : light;
    return x === across + 1 ? (upper ? light : light * 0.6) : 0;
  };
}

function disc({ light, radius, x, y }: { light: number; radius: number; x: number; y: number }): Change {
  return (atX, atY) => {
    const apart = Math.sqrt((atX - x) ** 2 + (atY - y) ** 2);
    return light * Math.max(0, Math.min(1, radius + 0.5 - apart));
  };
}

/** One that falls again and again: the share of its way at a key picture, and how often it goes that way until the next. */
export interface Fall {
  begins: number;
  times: number;
  light: number;
  /** Macroblocks that a drop is long, or a flake's radius in pixels. */
  size: number;
  /** Where it comes on each of its ways: its column, and its shape or its pixel within. */
  places: readonly (readonly [column: number, x: number])[];
  phase: number;
}

/** How bright and how large, and which share of the picture's height in a frame. */
const RAIN = [
  { light: 36, size: 1 / 1080, speed: 0.034 },
  { light: 56, size: 2 / 1080, speed: 0.047 },
];
const SNOW = [
  { light: 62, size: 1.5 / 720, speed: 0.003 },
  { light: 92, size: 2.2 / 720, speed: 0.0046 },
  { light: 110, size: 3.3 / 720, speed: 0.0062 },
];
/** Flakes that follow each other on one way: until the next key picture they go some quarters of it. */
const FOLLOWING = 4;

export function newDrop(at: number, all: SeededRandom, { height, columns, barRow }: ClipLayout, step: number): Fall {
  const random = all.at(at);
  const { light, size, speed } = RAIN[at % 3 === 0 ? 1 : 0] as (typeof RAIN)[number];
  const long = Math.max(1, Math.round(size * height));
  const times = Math.max(1, Math.round((speed * height * step) / BLOCK / (barRow + long)));
  const begins = random.next();
  const places = Array.from({ length: times }, () => [random.below(columns), random.below(8) * 2] as const);
  return { begins, times, light, size: long, places, phase: 0 };
}

export function newFlake(at: number, all: SeededRandom, { height, columns, barRow }: ClipLayout, step: number): Fall {
  const group = Math.floor(at / FOLLOWING);
  const random = all.at(group);
  const { light, size, speed } = SNOW[group % 7 === 0 ? 2 : group % 2] as (typeof SNOW)[number];
  const quarters = Math.max(1, Math.round((speed * height * step * FOLLOWING) / (barRow * BLOCK)));
  const begins = random.next() + (at % FOLLOWING) / FOLLOWING;
  const places = [[random.below(columns), random.below(BLOCK)] as const];
  return { begins, times: quarters / FOLLOWING, light, size: size * height, places, phase: random.next() };
}
