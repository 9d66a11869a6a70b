import type { PlacedFigure } from '../scene/figure-places.ts';
import type { CameraView } from './camera-move.ts';
import { FRAMES_PER_SECOND } from './clip-layout.ts';
import type { StillPart } from './motion-field.ts';

/** How far from the middle it is seen at most, of half the picture's width. */
const REACH = 0.92;
/** In picture heights a second: in a short clip it gets less far. */
const FASTEST = 0.24;
/** Around a figure and below it there is what belongs to it: its rim and its shadow. */
const AROUND = 0.016;
const BELOW = 0.03;
const BESIDE = 0.035;

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

function leftOf({ figure, x, size }: PlacedFigure): number {
  return x - (figure.shape.width * size) / 2;
}

function rightOf({ figure, x, size }: PlacedFigure): number {
  return x + (figure.shape.width * size) / 2;
}
