import { setImmediate } from 'node:timers/promises';
import { type IntraSlice, keyPicture, referencePicture } from '../h264/intra-slice.ts';
import { dissolvePicture, MotionSlices } from '../h264/motion-slice.ts';
import { wave } from '../paint/seeded-random.ts';
import type { ClipLayout } from './clip-layout.ts';
import { slateState } from './draw-slate.ts';
import { type SceneMotion, sceneField, slateField } from './motion-field.ts';
import type { ClipFrames, Storyboard, Stretch } from './storyboard.ts';

/** Frames written before it is seen whether the clip is still wanted. */
const FRAMES_A_TURN = 24;

interface FramePlan {
  layout: ClipLayout;
  board: Storyboard;
  motion: SceneMotion;
}

/** Writes every frame from a few coded pictures: the rest only says where in them to look. */
export class FrameWriter {
  readonly #plan: FramePlan;
  readonly #writer = new MotionSlices();
  /** Slices of the scene by their distance from the key picture: they are the same after each. */
  readonly #scene = new Map<number, Buffer>();
  /** Pictures of each stretch after its key picture. */
  readonly #moving: Buffer[][][] = [];

  constructor(plan: FramePlan) {
    this.#plan = plan;
  }

  /** Writes all that does not depend on how the key pictures are coded, in small parts. */
  async prepare(signal: AbortSignal): Promise<void> {
    for (const stretch of this.#plan.board.stretches) {
      const moving: Buffer[][] = [];
      for (let next = 1; next < stretch.frames; next++) {
        moving.push([this.#sceneSlice(next), this.#slateSlice(stretch, next)]);
        if (next % FRAMES_A_TURN === 0) await setImmediate();
        signal.throwIfAborted();
      }
      this.#moving.push(moving);
    }
  }

  /** After `prepare`. `coded` are the key pictures, and after them the two that a dissolve goes between. */
  write(coded: readonly IntraSlice[]): ClipFrames {
    const { stretches, dissolve } = this.#plan.board;
    const frames: ClipFrames = { samples: [], keys: [] };
    for (const index of stretches.keys()) {
      frames.keys.push(frames.samples.length);
      frames.samples.push([keyPicture(coded[index] as IntraSlice, index)], ...(this.#moving[index] ?? []));
    }
    if (dissolve) this.#dissolve(frames, dissolve, coded);
    return frames;
  }

  #sceneSlice(next: number): Buffer {
    const known = this.#scene.get(next);
    if (known) return known;
    const { layout, motion, board } = this.#plan;
    const slice = this.#writer.write(sceneField(layout, motion, next / board.step), 2 * next);
    this.#scene.set(next, slice);
    return slice;
  }

  #slateSlice(stretch: Stretch, next: number): Buffer {
    const { layout, board } = this.#plan;
    const shown = slateState(layout, board, stretch.from + next);
    const seen = slateState(layout, board, stretch.from);
    return this.#writer.write(slateField(layout, shown, seen), 2 * next);
  }

  /** The last picture is decoded right after the key picture, since all between look at both. */
  #dissolve(frames: ClipFrames, stretch: Stretch, coded: readonly IntraSlice[]): void {
    const { columns, rows } = this.#plan.layout;
    const id = this.#plan.board.stretches.length;
    const last = stretch.frames - 1;
    frames.delays = frames.samples.map(() => 1);
    frames.keys.push(frames.samples.length);
    frames.samples.push([keyPicture(coded[id] as IntraSlice, id)]);
    frames.samples.push([referencePicture(coded[id + 1] as IntraSlice, 2 * last)]);
    frames.delays.push(1, last);
    for (let next = 1; next < last; next++) {
      const weight = Math.round(64 - 64 * wave(next / last / 2 + 0.25));
      const held = Math.max(1, Math.min(127, weight));
      frames.samples.push([dissolvePicture(columns * rows, 2 * next, held)]);
      frames.delays.push(0);
    }
  }
}
