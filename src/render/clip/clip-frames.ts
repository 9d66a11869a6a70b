import { setImmediate } from 'node:timers/promises';
import { dissolvePicture } from '../h264/dissolve-picture.ts';
import { type IntraSlice, keyPicture, referencePicture } from '../h264/intra-picture.ts';
import { type MotionField, MotionSlice, type MovedPicture } from '../h264/motion-slice.ts';
import { wave } from '../paint/smooth-noise.ts';
import { sourcePoint } from './camera-move.ts';
import { type ClipLayout, FRAMES_PER_SECOND } from './clip-layout.ts';
import type { Crossing } from './crossing.ts';
import { timeCode } from './draw-slate.ts';
import type { FallingWeather } from './falling-weather.ts';
import { viewAt } from './key-view.ts';
import { type SceneMotion, type SlateState, sceneField, slateField } from './motion-field.ts';
import { moveAcross } from './move-across.ts';
import type { Storyboard, Stretch } from './storyboard.ts';

/** Frames written before others get their turn: the encoder has to be fed meanwhile. */
const FRAMES_A_TURN = 4;

/** All pictures of a clip in the order of decoding. */
export interface ClipFrames {
  samples: Buffer[][];
  keys: number[];
  delays?: number[];
}

/** What decides about all frames that are not key pictures. */
export interface FramePlan {
  layout: ClipLayout;
  board: Storyboard;
  motion: SceneMotion;
  weather: FallingWeather | undefined;
  crossing: Crossing | undefined;
}

/** Writes every frame from a few coded pictures: the rest only says where in them to look. */
export class FrameWriter {
  readonly #plan: FramePlan;
  readonly #layout: ClipLayout;
  readonly #motion: SceneMotion;
  readonly #board: Storyboard;
  readonly #weather: FallingWeather | undefined;
  /** Slices of the scene by their distance from the key picture: they are the same after each. */
  readonly #sceneSlices = new Map<number, Buffer>();
  /** Pictures of each stretch after its key picture. */
  readonly #moving: Buffer[][][] = [];

  constructor(plan: FramePlan) {
    const { layout, motion, board, weather } = plan;
    this.#plan = plan;
    this.#layout = layout;
    this.#motion = motion;
    this.#board = board;
    this.#weather = weather;
  }

  /** Writes all that does not depend on how the key pictures are coded, in small parts, while they are being coded. */
  async prepare(signal: AbortSignal): Promise<void> {
    for (const stretch of this.#board.stretches) {
      const moving: Buffer[][] = [];
      for (let next = this.#weather ? 2 : 1; next < stretch.frames; next++) {
        moving.push(this.#moved(stretch, next));
        if (next % FRAMES_A_TURN === 0) await setImmediate();
        signal.throwIfAborted();
      }
      this.#moving.push(moving);
    }
  }

  /** After `prepare`. `slices` are the key pictures, and after them the two that a dissolve goes between. */
  write(slices: readonly IntraSlice[]): ClipFrames {
    const { stretches, dissolve } = this.#board;
    const frames: ClipFrames = { samples: [], keys: [] };
    for (const [index, stretch] of stretches.entries()) {
      frames.keys.push(frames.samples.length);
      frames.samples.push([keyPicture(part(slices, index), index)]);
      if (this.#weather && stretch.frames > 1) frames.samples.push(this.#clear(stretch, this.#weather.off(index)));
      frames.samples.push(...(this.#moving[index] ?? []));
    }
    if (dissolve) this.#dissolve(frames, dissolve, slices);
    return frames;
  }

  #moved(stretch: Stretch, next: number): Buffer[] {
    const number = this.#weather ? 2 : 1;
    const picture = { order: 2 * next, number, isReference: false };
    return [this.#scene(stretch, next, picture), this.#slate(stretch, next, picture)];
  }

  /** What falls is shown by the key picture too: the next is the one without it, at which all later ones look. */
  #clear(stretch: Stretch, overlays: MotionField['overlays']): Buffer[] {
    const picture = { order: 2, number: 1, isReference: true };
    const field = sceneField(this.#layout, this.#motion, 0);
    return [new MotionSlice({ ...field, overlays }).write(picture), this.#slate(stretch, 1, picture)];
  }

  #slate(stretch: Stretch, next: number, picture: MovedPicture): Buffer {
    const shown = slateState(this.#layout, this.#board, stretch.from + next);
    const seen = slateState(this.#layout, this.#board, stretch.from + picture.number - 1);
    return new MotionSlice(slateField(this.#layout, shown, seen)).write(picture);
  }

  #scene(stretch: Stretch, next: number, picture: MovedPicture): Buffer {
    const { crossing } = this.#plan;
    const known = crossing ? undefined : this.#sceneSlices.get(next);
    if (known) return known;
    const share = next / this.#board.step;
    const field = sceneField(this.#layout, this.#motion, share);
    if (crossing) {
      const view = viewAt(this.#plan, stretch.from);
      const source = sourcePoint(this.#motion.move, share);
      const gone = (crossing.gone(next) * view.scale) / source.scale;
      moveAcross(field, { box: crossing.box(stretch.from, view), source, gone });
    }
    const slice = new MotionSlice({ ...field, overlays: this.#weather?.over(next) }).write(picture);
    this.#sceneSlices.set(next, slice);
    return slice;
  }

  /** The last picture is decoded right after the key picture, since all between look at both. */
  #dissolve(frames: ClipFrames, stretch: Stretch, slices: readonly IntraSlice[]): void {
    const { columns, rows } = this.#layout;
    const id = this.#board.stretches.length;
    const last = stretch.frames - 1;
    frames.delays = frames.samples.map(() => 1);
    frames.keys.push(frames.samples.length);
    frames.samples.push([keyPicture(part(slices, id), id)]);
    frames.samples.push([referencePicture(part(slices, id + 1), 2 * last)]);
    frames.delays.push(1, last);
    for (let next = 1; next < last; next++) {
      const weight = Math.round(64 - 64 * wave(next / last / 2 + 0.25));
      const held = Math.max(1, Math.min(127, weight));
      frames.samples.push([dissolvePicture(columns * rows, 2 * next, held)]);
      frames.delays.push(0);
    }
  }
}

/** What the slate shows in a frame of the clip. */
export function slateState(layout: ClipLayout, board: Storyboard, frame: number): SlateState {
  const time = timeCode(frame, FRAMES_PER_SECOND);
  return { time, filled: Math.round((layout.width * (frame + 1)) / board.frames) };
}

function part(slices: readonly IntraSlice[], index: number): IntraSlice {
  const slice = slices[index];
  if (!slice) throw new Error(`The encoder answered ${slices.length} pictures, fewer than were asked for.`);
  return slice;
}
