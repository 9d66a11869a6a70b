// Own code: 30 s of a warm clip are there forty times as soon as when x264 codes each frame.
import { setImmediate } from 'node:timers/promises';
import { type IntraSlice, keyPicture } from '../h264/intra-slice.ts';
import { MotionSlices } from '../h264/motion-slice.ts';
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
        moving.push(stretch.isLast ? [this.#still(next)] : [this.#sceneSlice(next), this.#slateSlice(stretch, next)]);
        if (next % FRAMES_A_TURN === 0) await setImmediate();
        signal.throwIfAborted();
      }
      this.#moving.push(moving);
    }
  }

  /** After `prepare`. `coded` are the key pictures. */
  write(coded: readonly IntraSlice[]): ClipFrames {
    const { stretches } = this.#plan.board;
    const frames: ClipFrames = { samples: [], keys: [] };
    for (const index of stretches.keys()) {
      frames.keys.push(frames.samples.length);
      frames.samples.push([keyPicture(coded[index] as IntraSlice, index)], ...(this.#moving[index] ?? []));
    }
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

  /** A picture in which nothing moves. */
  #still(next: number): Buffer {
    const { columns, rows } = this.#plan.layout;
    const vectors = new Int16Array(columns * rows * 2);
    return this.#writer.write({ columns, firstRow: 0, rows, vectors }, 2 * next);
  }
}
