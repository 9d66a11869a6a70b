import { createHash } from 'node:crypto';
import { type IntraSlice, readIntraStream } from '../h264/intra-slice.ts';
import { coarse, drawPixels, type View, viewed } from '../picture/raster.ts';
import type { ClipRequest, RenderTools } from '../render-request.ts';
import { FINE } from '../scene/painter.ts';
import type { SceneKit } from '../scene/stage.ts';
import type { CameraMove } from './camera-move.ts';
import { BLOCK, type ClipLayout, FRAMES_PER_SECOND } from './clip-layout.ts';
import type { ClipScene } from './clip-scene.ts';
import { SlateArtist, slateState } from './draw-slate.ts';
import type { GivenPictures } from './given-pictures.ts';
import type { Storyboard, Stretch } from './storyboard.ts';

export interface ClipPlan {
  request: ClipRequest;
  layout: ClipLayout;
  board: Storyboard;
  move: CameraMove;
  given: GivenPictures;
}

/** The pictures of a clip that are coded whole, as SVG. */
export async function drawKeys(kit: SceneKit, plan: ClipPlan, scene: ClipScene): Promise<string[]> {
  const { board, given, request } = plan;
  const slate = new SlateArtist(kit.lettering, plan.layout, request.engine);
  const key = async (frame: number) => {
    const state = slateState(plan.layout, board, frame);
    const view = await seen(plan, scene, frame);
    return view + given.tiles + slate.drawStrip(false) + slate.draw(request, state);
  };
  // A given picture is shown alone, without the slate.
  const alone = ({ from, isLast }: Stretch) => (isLast ? given.last : from === 0 ? given.first : undefined);
  const keys = board.stretches.map(async (stretch) => {
    const picture = alone(stretch);
    return picture ? picture + slate.drawStrip(true) : key(stretch.from);
  });
  return Promise.all(keys);
}

/** The scene, or the given first picture, from where the camera is. */
async function seen(plan: ClipPlan, scene: ClipScene, frame: number): Promise<string> {
  const { given, layout } = plan;
  const { width, height } = layout;
  const view = viewAt(plan, frame);
  if (!given.first) {
    const drawn = scene.draw(view, viewAt(plan, 0));
    return scene.plan.styles.includes('pixel') ? coarse(drawn, { width, height }) : drawn;
  }
  const scale = (view.scale / height) * FINE;
  return viewed(given.first, { scale, x: view.x - (width / 2) * (view.scale / height), y: view.y });
}

/** Every picture by itself, one slice each, without arithmetic coding and without the filter: what can be taken apart. */
const CODER = [
  ...['-vf', 'scale=out_color_matrix=bt709:out_range=tv:flags=accurate_rnd+bitexact', '-pix_fmt', 'yuv420p'],
  ...['-c:v', 'libx264', '-preset', 'ultrafast', '-qp', '21', '-f', 'h264'],
  ...['-x264-params', 'keyint=1:scenecut=0:bframes=0:threads=1:slices=1:force-cfr=1:no-psy=1:chroma-qp-offset=0'],
];
/** Coded pictures kept at most; a picture of 720p has about 100 KB. */
const KEPT = 24;

/** Codes pictures by x264, one process for all of a clip that are not known. */
export class PictureCoder {
  readonly #kept = new Map<string, IntraSlice>();

  /** The pictures of these SVGs, in their order. */
  async code(svgs: readonly string[], plan: ClipPlan, tools: RenderTools): Promise<IntraSlice[]> {
    const { columns, rows } = plan.layout;
    const size = { width: columns * BLOCK, height: rows * BLOCK };
    const named = svgs.map((svg) => [nameOf(svg, size), svg] as const);
    const coded = new Map(named.flatMap(([name]) => this.#known(name)));
    const missing = [...new Map(named.filter(([name]) => !coded.has(name)))];
    if (missing.length > 0) {
      const slices = await codeAll(
        missing.map(([, svg]) => svg),
        size,
        tools,
      );
      for (const [at, [name]] of missing.entries()) coded.set(name, this.#keep(name, slices[at]));
    }
    return named.map(([name]) => coded.get(name) as IntraSlice);
  }

  #known(name: string): [string, IntraSlice][] {
    const slice = this.#kept.get(name);
    return slice ? [[name, slice]] : [];
  }

  #keep(name: string, slice: IntraSlice | undefined): IntraSlice {
    if (!slice) throw new Error('x264 coded fewer pictures than it was given.');
    this.#kept.set(name, slice);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > KEPT && oldest !== undefined) this.#kept.delete(oldest);
    return slice;
  }
}

function nameOf(svg: string, { width, height }: { width: number; height: number }): string {
  return createHash('sha256').update(`${width} ${height} ${svg}`).digest('hex');
}

async function codeAll(svgs: string[], size: { width: number; height: number }, tools: RenderTools) {
  async function* pixels(): AsyncGenerator<Buffer> {
    for (const [at, svg] of svgs.entries()) {
      yield await drawPixels(size, svg);
      tools.onProgress(0.4 + (0.4 * (at + 1)) / svgs.length);
    }
  }
  const shape = ['-pix_fmt', 'rgb0', '-video_size', `${size.width}x${size.height}`];
  const input = { input: pixels(), format: 'rawvideo', decoders: ['rawvideo'] };
  const inputOptions = [...shape, '-framerate', `${FRAMES_PER_SECOND}`];
  return readIntraStream(await tools.ffmpeg.run({ ...input, inputOptions, outputOptions: CODER }, tools.signal));
}

/** Where the camera is at a frame: the scene as it is planned is seen at the beginning, or halfway where the camera roams. */
function viewAt(filmed: ClipPlan, frame: number): View {
  const { board, move, layout } = filmed;
  const home = { scale: layout.height, x: layout.width / 2, y: 0 };
  const grown = growth(filmed, frame) / growth(filmed, move.roams ? board.frames / 2 : 0);
  const { centre } = move;
  return {
    scale: home.scale * grown,
    x: centre.x + (home.x - centre.x) * grown,
    y: centre.y + (home.y - centre.y) * grown,
  };
}

/** How much larger the picture has grown until a frame. */
function growth({ board, move }: ClipPlan, frame: number): number {
  const grown = (frames: number) => 1 + ((move.zoom - 1) * frames) / board.step;
  return grown(board.step) ** Math.floor(frame / board.step) * grown(frame % board.step);
}
