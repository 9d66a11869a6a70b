import { Canvas } from '../paint/canvas.ts';
import { Palette } from '../paint/palette.ts';
import type { ClipRequest } from '../render-request.ts';
import type { SceneKit } from '../scene/stage.ts';
import type { CameraView } from './camera-move.ts';
import { BLOCK } from './clip-layout.ts';
import type { ClipScene } from './clip-scene.ts';
import { drawRim } from './draw-rim.ts';
import { SlateArtist, slateState } from './draw-slate.ts';
import type { EngineLook } from './engine-look.ts';
import type { GivenPicture } from './given-picture.ts';
import type { GivenPictures } from './given-pictures.ts';
import { homeView, viewAt } from './key-view.ts';
import { emptyPlanes, type Planes, putCanvas, putRgb, type Rows } from './picture-planes.ts';
import type { FramePlan } from './storyboard.ts';

export interface ClipPlan extends FramePlan {
  request: ClipRequest;
  look: EngineLook;
  given: GivenPictures;
}

/** Draws the pictures that are coded whole. */
export class KeyPictures {
  readonly #kit: SceneKit;
  readonly #plan: ClipPlan;
  readonly #scene: ClipScene;
  readonly #canvas: Canvas;
  readonly #planes: Planes;

  constructor(kit: SceneKit, plan: ClipPlan, scene: ClipScene) {
    this.#kit = kit;
    this.#plan = plan;
    this.#scene = scene;
    const { columns, rows } = plan.layout;
    this.#canvas = new Canvas(columns * BLOCK, rows * BLOCK, new Palette());
    this.#planes = emptyPlanes(columns * BLOCK, rows * BLOCK);
  }

  /** Planes of each key picture, and of both ends of the dissolve, one after the other in the same memory. */
  *draw(): Generator<Planes> {
    const { board, given } = this.#plan;
    for (const { from } of board.stretches) yield this.#key(from, from === 0 && given.first !== undefined);
    if (!board.dissolve || !given.last) return;
    yield this.#key(board.dissolve.from, false);
    const end = this.#slated(board.frames - 1, true);
    this.#put(end, given.last, { view: homeView(this.#plan.layout), clean: true });
    yield end;
  }

  #key(frame: number, clean: boolean): Planes {
    const { first, tiles } = this.#plan.given;
    const planes = this.#slated(frame, clean);
    if (first) this.#put(planes, first, { view: viewAt(this.#plan, frame), clean });
    if (!clean) for (const tile of tiles) putRgb(planes, tile.rgb, tile.spot);
    return planes;
  }

  /** The scene, unless a given picture is to lie over it, with slate and strip. */
  #slated(frame: number, clean: boolean): Planes {
    const { layout, look, request, board, given } = this.#plan;
    const canvas = this.#canvas;
    canvas.palette.clear();
    if (!given.first && !clean) {
      this.#scene.paint(canvas, { view: viewAt(this.#plan, frame), frame, crossing: this.#plan.crossing }, look);
      drawRim(canvas, layout, look);
    }
    const slate = new SlateArtist(canvas, this.#kit.lettering, layout, look);
    const state = slateState(layout, board, frame);
    slate.drawStrip();
    if (!clean) slate.draw(request, state);
    const planes = this.#planes;
    putCanvas(planes, canvas, given.first || clean ? this.#covered() : undefined);
    if (!clean) this.#plan.weather?.put(planes);
    return planes;
  }

  /** Rows of which a given picture leaves nothing to be seen. */
  #covered(): Rows | undefined {
    const { width, columns, barRow } = this.#plan.layout;
    return width === columns * BLOCK ? { from: 0, to: barRow * BLOCK } : undefined;
  }

  #put(planes: Planes, picture: GivenPicture, { view, clean }: { view: CameraView; clean: boolean }): void {
    const { layout } = this.#plan;
    const { width } = layout;
    const height = clean ? layout.height : layout.barRow * BLOCK;
    const share = layout.height / view.scale;
    const region = {
      left: Math.max(0, Math.round((-view.x + (width / 2) * (view.scale / layout.height)) * share)),
      top: Math.max(0, Math.round(-view.y * share)),
      width: Math.min(width, Math.round(width * share)),
      height: Math.min(layout.height, Math.round(height * share)),
    };
    picture.put(planes, region, { top: 0, width, height });
  }
}
