import type { MotionField } from '../h264/motion-slice.ts';
import { OPEN_SKY } from '../scene/choose-scene.ts';
import type { Habitat } from '../scene/figure-set.ts';
import type { PlacedFigure } from '../scene/stage.ts';
import type { CameraView } from './camera-move.ts';
import { BLOCK, FRAMES_PER_SECOND } from './clip-layout.ts';
import type { StillPart } from './motion-field.ts';

/** How far from the middle it is seen at most, of half the picture's width. */
const REACH = 0.92;
/** In picture heights a second: in a short clip it gets less far. */
const FASTEST = 0.24;
/** Around a figure and below it there is what belongs to it: its rim and its shadow. */
const AROUND = 0.016;
const BELOW = 0.03;
const BESIDE = 0.035;
/** What crosses a picture is so much smaller than what stands in it, and so high at most. */
const SMALLER = 0.62;
const HIGHEST = 0.26;
const HIGHEST_BEFORE_OTHERS = 0.2;

/** A subject that goes from one side of the picture to the other, in whatever formation it stands. */
export class Crossing {
  readonly #placed: readonly PlacedFigure[];
  readonly #side: 1 | -1;
  readonly #from: number;
  /** Scene units a frame. */
  readonly #speed: number;

  constructor(
    placed: readonly PlacedFigure[],
    { spread, side, frames }: { spread: number; side: 1 | -1; frames: number },
  ) {
    this.#placed = placed;
    this.#side = side;
    const [left, right] = [Math.min(...placed.map(leftOf)), Math.max(...placed.map(rightOf))];
    const middle = (left + right) / 2;
    const way = Math.min(Math.max(0, 2 * REACH * spread - (right - left)), (FASTEST * frames) / FRAMES_PER_SECOND);
    this.#from = (-side * way) / 2 - middle;
    this.#speed = (side * way) / frames;
  }

  /** Where its figures are at a frame; they look where they go. */
  at(frame: number): PlacedFigure[] {
    const moved = this.#from + this.#speed * frame;
    return this.#placed.map((each) => ({ ...each, x: each.x + moved, flip: this.#side > 0 }));
  }

  /** The pixels that it takes in the picture of a frame, seen from there. */
  box(frame: number, view: CameraView): StillPart {
    const placed = this.at(frame);
    const left = Math.min(...placed.map(leftOf)) - AROUND;
    const right = Math.max(...placed.map(rightOf)) + AROUND;
    const { top, bottom } = this.#lane;
    return {
      ...{ x: left * view.scale + view.x, y: top * view.scale + view.y },
      ...{ width: (right - left) * view.scale, height: (bottom - top) * view.scale },
    };
  }

  /** Another figure so that it is never passed before or behind: under what flies, and behind the lane of what does not. */
  outOfTheWay(other: PlacedFigure): PlacedFigure {
    const { top, bottom } = this.#lane;
    const flies = this.#placed[0]?.figure.shape.home === 'air';
    const y = flies ? other.y : Math.min(other.y, top - BESIDE);
    const room = Math.max(0, flies ? y - bottom - BESIDE : y - BESIDE);
    return { ...other, y, size: Math.min(other.size, room / other.figure.shape.height) };
  }

  get #lane(): Record<'top' | 'bottom', number> {
    const tops = this.#placed.map(({ figure, y, size }) => y - figure.shape.height * size);
    return { top: Math.min(...tops) - AROUND, bottom: Math.max(...this.#placed.map(({ y }) => y)) + BELOW };
  }

  /** Scene units that it has gone some frames later. */
  gone(frames: number): number {
    return this.#speed * frames;
  }
}

/** Figures that cross a picture, small enough for it; what flies does so high up. */
export function onLane(
  placed: readonly PlacedFigure[],
  { flies, alone }: Record<'flies' | 'alone', boolean>,
): PlacedFigure[] {
  const highest = alone ? HIGHEST : HIGHEST_BEFORE_OTHERS;
  return placed.map((each) => ({
    ...each,
    size: Math.min(each.size * SMALLER, highest / each.figure.shape.height),
    y: flies ? 0.12 + each.y * 0.3 : each.y,
  }));
}

function leftOf({ figure, x, size }: PlacedFigure): number {
  return x - (figure.shape.width * size) / 2;
}

function rightOf({ figure, x, size }: PlacedFigure): number {
  return x + (figure.shape.width * size) / 2;
}

/** Something that has left its place in the key picture. */
interface Moved {
  /** Its place there. */
  box: StillPart;
  /** Where points of the picture lie in the key picture. */
  source: { scale: number; x: number };
  /** Pixels that it has gone to the right. */
  gone: number;
}

/** What interpolation looks at beside a macroblock. */
const FRINGE = 3;

/**
 * Shows what was in a box of the key picture where it has gone, and where it was what lies in front of it: the picture
 * beside it, as high up, on the side to which it goes.
 */
export function moveAcross({ columns, rows, vectors }: MotionField, { box, source, gone }: Moved): void {
  const aside = Math.sign(gone) * (Math.ceil(box.width / BLOCK) + 2) * BLOCK;
  for (let row = 0; row < rows; row++) {
    const top = row * BLOCK + (vectors[row * columns * 2 + 1] ?? 0) / 4;
    if (top + BLOCK + FRINGE <= box.y || top - FRINGE >= box.y + box.height) continue;
    for (let column = 0; column < columns; column++) {
      const at = (row * columns + column) * 2;
      const left = column * BLOCK + (vectors[at] ?? 0) / 4;
      const from = source.x + (column * BLOCK + 8 - gone) * source.scale - 8;
      if (overlaps(box, from)) vectors[at] = Math.round(4 * (from - column * BLOCK));
      else if (overlaps(box, left)) vectors[at] = (vectors[at] ?? 0) + 4 * aside;
    }
  }
}

function overlaps({ x, width }: StillPart, left: number): boolean {
  return left + BLOCK + FRINGE > x && left - FRINGE < x + width;
}

/** Figures that go somewhere. */
export const MOVERS = new Set(
  [
    'boat ship ferry motor-boat speedboat canoe duck swan rower surfer swimmer bird eagle dove crow parrot bat',
    'butterfly bee airplane helicopter balloon ufo car taxi pickup-truck bus minibus trolleybus tram train bullet-train',
    'ambulance fire-engine police-car truck racing-car tractor motorcycle motor-scooter bicycle cyclist runner walker',
    'horse',
  ].flatMap((line) => line.split(' ')),
);
/** Where what flies and what swims has nothing before or behind it. */
export const OPEN: Partial<Record<Habitat, readonly string[]>> = {
  air: OPEN_SKY,
  water: ['sea', 'lake', 'arctic'],
};
