import { setImmediate } from 'node:timers/promises';
import { dissolvePicture, type MotionField, MotionSlices, type MovedPicture } from '../h264/motion-slice.ts';
import { wave } from '../paint/seeded-random.ts';
import { sourcePoint } from './camera-move.ts';
import type { ClipLayout } from './clip-layout.ts';
import { moveAcross } from './crossing.ts';
import { slateState } from './draw-slate.ts';
import type { FallingWeather } from './falling-weather.ts';
import { type Band, bandsOf, isBeside, viewAt } from './key-view.ts';
import { sceneField, slateField } from './motion-field.ts';
import type { ClipFrames, FramePlan, Storyboard, Stretch } from './storyboard.ts';

/** Frames written before it is seen whether the clip is still wanted. */
const FRAMES_A_TURN = 24;

/** Writes every frame from a few coded pictures: the rest only says where in them to look. */
export class FrameWriter {
  readonly #plan: FramePlan;
  readonly #layout: ClipLayout;
  readonly #board: Storyboard;
  readonly #weather: FallingWeather | undefined;
  readonly #writer = new MotionSlices();
  readonly #bands: readonly Band[];
  /** Pictures after a key picture that take off what falls there, each from one band. */
  readonly #cleaning: number;
  /** Slices of the scene by their distance from the key picture, band by band: they are the same after each. */
  readonly #sceneSlices = new Map<string, Buffer>();
  /** Pictures of each stretch after its key picture. */
  readonly #moving: Buffer[][][] = [];

  constructor(plan: FramePlan) {
    const { layout, board, weather } = plan;
    this.#plan = plan;
    this.#layout = layout;
    this.#board = board;
    this.#weather = weather;
    this.#bands = bandsOf(plan);
    this.#cleaning = weather ? this.#bands.length : 0;
  }

  /** Writes all that does not depend on how the key pictures are coded, in small parts. */
  async prepare(signal: AbortSignal): Promise<void> {
    for (const stretch of this.#board.stretches) {
      const moving: Buffer[][] = [];
      for (let next = this.#cleaning + 1; next < stretch.frames; next++) {
        moving.push(this.#moved(stretch, next));
        if (next % FRAMES_A_TURN === 0) await setImmediate();
        signal.throwIfAborted();
      }
      this.#moving.push(moving);
    }
  }

  /** After `prepare`. `coded` are the key pictures, and after them the two that a dissolve goes between. */
  write(coded: readonly Buffer[]): ClipFrames {
    const { stretches, dissolve } = this.#board;
    const frames: ClipFrames = { samples: [], keys: [] };
    for (const [index, stretch] of stretches.entries()) {
      frames.keys.push(frames.samples.length);
      frames.samples.push([part(coded, index)]);
      const cleaning = Math.min(this.#cleaning, stretch.frames - 1);
      for (let next = 1; next <= cleaning; next++) frames.samples.push(this.#cleaned(stretch, next, index));
      frames.samples.push(...(this.#moving[index] ?? []));
    }
    if (dissolve) this.#dissolve(frames, dissolve, coded);
    return frames;
  }

  #moved(stretch: Stretch, next: number): Buffer[] {
    const picture = { order: 2 * next, number: this.#cleaning + 1, isReference: false };
    let field: MotionField | undefined;
    const scene = this.#bands.map((band, at) => {
      const name = `${next} ${at}`;
      const known = band.isCrossed ? undefined : this.#sceneSlices.get(name);
      if (known) return known;
      field ??= this.#field(stretch, next);
      const slice = this.#slice(field, at, picture);
      if (!band.isCrossed) this.#sceneSlices.set(name, slice);
      return slice;
    });
    return [...scene, this.#slate(stretch, next, picture)];
  }

  /**
   * What falls is shown by the key picture too, and later ones must not look at it: each of the next few pictures takes it
   * off one band, at which all later ones then look. So what falls is never gone from the whole picture.
   */
  #cleaned(stretch: Stretch, next: number, index: number): Buffer[] {
    const { columns, barRow } = this.#layout;
    const picture = { order: 2 * next, number: next, isReference: true };
    const off = this.#weather?.off(index) ?? [];
    const over = this.#weather?.over(next) ?? [];
    const before = this.#bands.slice(0, next - 1);
    const now = this.#bands[next - 1];
    const overlays = Array.from({ length: columns * barRow }, (_, at) => {
      const row = Math.floor(at / columns);
      const isClean = before.some((band) => isBeside(band, row));
      if (now && isBeside(now, row)) return isClean ? undefined : off[at];
      return isClean ? over[at] : undefined;
    });
    const field = { ...sceneField(this.#layout, this.#plan.motion, 0), overlays };
    return [...this.#bands.map((_, at) => this.#slice(field, at, picture)), this.#slate(stretch, next, picture)];
  }

  /** One band of a field; it looks at the picture in which it was cleaned. */
  #slice({ columns, vectors, overlays }: MotionField, at: number, picture: MovedPicture): Buffer {
    const band = this.#bands[at] as Band;
    const [from, to] = [band.from * columns, band.to * columns];
    const rows = { columns, firstRow: band.from, rows: band.to - band.from };
    const back = this.#cleaning === 0 ? 1 : Math.max(1, picture.number - at - 1);
    const part = { vectors: vectors.subarray(2 * from, 2 * to), overlays: overlays?.slice(from, to) };
    return this.#writer.write({ ...rows, ...part }, picture, back);
  }

  #slate(stretch: Stretch, next: number, picture: MovedPicture): Buffer {
    const shown = slateState(this.#layout, this.#board, stretch.from + next);
    const seen = slateState(this.#layout, this.#board, stretch.from + picture.number - 1);
    return this.#writer.write(slateField(this.#layout, shown, seen), picture);
  }

  #field(stretch: Stretch, next: number): MotionField {
    const { motion, crossing } = this.#plan;
    // It moves on when the last band is clean.
    const share = (next - this.#cleaning) / (this.#board.step - this.#cleaning);
    const field = { ...sceneField(this.#layout, motion, share), overlays: this.#weather?.over(next) };
    if (crossing) {
      const view = viewAt(this.#plan, stretch.from);
      const source = sourcePoint(motion.move, share);
      const gone = (crossing.gone(share * this.#board.step) * view.scale) / source.scale;
      moveAcross(field, { box: crossing.box(stretch.from, view), source, gone });
    }
    return field;
  }

  /** The last picture is decoded right after the key picture, since all between look at both. */
  #dissolve(frames: ClipFrames, stretch: Stretch, coded: readonly Buffer[]): void {
    const { columns, rows } = this.#layout;
    const id = this.#board.stretches.length;
    const last = stretch.frames - 1;
    frames.delays = frames.samples.map(() => 1);
    frames.keys.push(frames.samples.length);
    frames.samples.push([part(coded, id)]);
    frames.samples.push([part(coded, id + 1)]);
    frames.delays.push(1, last);
    for (let next = 1; next < last; next++) {
      const weight = Math.round(64 - 64 * wave(next / last / 2 + 0.25));
      const held = Math.max(1, Math.min(127, weight));
      frames.samples.push([dissolvePicture(columns * rows, 2 * next, held)]);
      frames.delays.push(0);
    }
  }
}

function part(coded: readonly Buffer[], index: number): Buffer {
  const picture = coded[index];
  if (!picture)
    throw new Error(`Of the pictures that are coded whole there are ${coded.length}, fewer than are shown.`);
  return picture;
}
