import { Canvas } from '../paint/canvas.ts';
import { Palette } from '../paint/palette.ts';
import type { ClipRequest } from '../render-request.ts';
import type { SceneKit } from '../scene/scene-kit.ts';
import { type CameraView, nextView } from './camera-move.ts';
import { slateState } from './clip-frames.ts';
import { BLOCK, type ClipLayout } from './clip-layout.ts';
import type { ClipScene } from './clip-scene.ts';
import { drawRim } from './draw-rim.ts';
import { SlateArtist } from './draw-slate.ts';
import type { EngineLook } from './engine-look.ts';
import type { GivenPicture } from './given-picture.ts';
import type { GivenPictures } from './given-pictures.ts';
import type { SceneMotion } from './motion-field.ts';
import { type Planes, planesOfCanvas, putRgb, type Rows } from './picture-planes.ts';
import type { Storyboard } from './storyboard.ts';

export interface ClipPlan {
  request: ClipRequest;
  layout: ClipLayout;
  board: Storyboard;
  motion: SceneMotion;
  look: EngineLook;
  given: GivenPictures;
}

/** Draws the pictures that the encoder codes, one after the other as it takes them. */
export class KeyPictures {
  readonly #kit: SceneKit;
  readonly #plan: ClipPlan;
  readonly #scene: ClipScene;
  readonly #canvas: Canvas;

  constructor(kit: SceneKit, plan: ClipPlan, scene: ClipScene) {
    this.#kit = kit;
    this.#plan = plan;
    this.#scene = scene;
    const { columns, rows } = plan.layout;
    this.#canvas = new Canvas(columns * BLOCK, rows * BLOCK, new Palette());
  }

  /** Planes of each key picture, and of both ends of the dissolve. */
  async *draw(): AsyncGenerator<Buffer> {
    const { board, given } = this.#plan;
    const clean = this.#plan.layout.copyRow !== undefined;
    for (const [index, stretch] of board.stretches.entries()) {
      yield this.#key(stretch.from, clean && index === 0).bytes;
    }
    if (!board.dissolve || !given.last) return;
    yield this.#key(board.dissolve.from, false).bytes;
    const end = this.#slated(board.frames - 1, true);
    this.#put(end, given.last, { view: this.#home(), clean: true });
    yield end.bytes;
  }

  #key(frame: number, clean: boolean): Planes {
    const { first, tiles } = this.#plan.given;
    const planes = this.#slated(frame, clean);
    if (first) this.#put(planes, first, { view: this.#viewAt(frame), clean });
    if (!clean) for (const tile of tiles) putRgb(planes, tile.rgb, tile.spot);
    return planes;
  }

  /** The scene, unless a given picture is to lie over it, with slate and strip. */
  #slated(frame: number, clean: boolean): Planes {
    const { layout, look, request, board, given } = this.#plan;
    const canvas = this.#canvas;
    canvas.palette.clear();
    if (!given.first && !clean) {
      this.#scene.paint(canvas, this.#viewAt(frame), look);
      drawRim(canvas, layout, look);
    }
    const slate = new SlateArtist(canvas, this.#kit.lettering, layout, look);
    const state = slateState(layout, board, frame);
    slate.drawStrip();
    if (layout.copyRow !== undefined) slate.draw(layout.copyRow, request, state);
    if (!clean) slate.draw(layout.barRow, request, state);
    return planesOfCanvas(canvas, given.first || clean ? this.#covered() : undefined);
  }

  /** Rows of which a given picture leaves nothing to be seen. */
  #covered(): Rows | undefined {
    const { width, columns, top, barRow } = this.#plan.layout;
    return width === columns * BLOCK ? { from: top, to: barRow * BLOCK } : undefined;
  }

  #put(planes: Planes, picture: GivenPicture, { view, clean }: { view: CameraView; clean: boolean }): void {
    const { width, layout } = { width: this.#plan.layout.width, layout: this.#plan.layout };
    const height = clean ? layout.height : layout.barRow * BLOCK - layout.top;
    const share = layout.height / view.scale;
    const region = {
      left: Math.max(0, Math.round((-view.x + (width / 2) * (view.scale / layout.height)) * share)),
      top: Math.max(0, Math.round((layout.top - view.y) * share)),
      width: Math.min(width, Math.round(width * share)),
      height: Math.min(layout.height, Math.round(height * share)),
    };
    picture.put(planes, region, { top: layout.top, width, height });
  }

  #home(): CameraView {
    const { layout } = this.#plan;
    return { scale: layout.height, x: layout.width / 2, y: layout.top };
  }

  /** Where the camera is at a frame: it sets out so that the middle of the way shows the middle of the scene. */
  #viewAt(frame: number): CameraView {
    const { board, motion } = this.#plan;
    const { move, centre } = motion;
    const steps = board.frames / board.step;
    const home = this.#home();
    let view: CameraView = {
      ...home,
      x: home.x + (move.right * steps) / 2,
      y: home.y - move.up * steps * 0.7,
    };
    for (let left = frame; left > 0; left -= board.step) {
      const share = Math.min(1, left / board.step);
      const part = {
        right: move.right * share,
        up: move.up * share,
        zoom: 1 + (move.zoom - 1) * share,
      };
      view = nextView(view, { ...move, ...part }, centre);
    }
    return view;
  }
}
