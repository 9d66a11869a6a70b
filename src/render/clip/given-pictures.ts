import { Canvas } from '../paint/canvas.ts';
import { Palette } from '../paint/palette.ts';
import type { ClipRequest, ReferencePicture } from '../render-request.ts';
import { paintScene } from '../scene/paint-scene.ts';
import { Painter } from '../scene/painter.ts';
import { planScene } from '../scene/scene-plan.ts';
import type { SceneKit } from '../scene/stage.ts';
import { GivenPicture, type Rgb, readFilling, readFitted } from './given-picture.ts';

/** A further reference, shown small in a corner of the scene. */
export interface Tile {
  rgb: Buffer;
  spot: { x: number; y: number; width: number; height: number };
}

/** The pictures that came with a request, ready to be put into frames. */
export interface GivenPictures {
  first?: GivenPicture;
  last?: GivenPicture;
  tiles: Tile[];
}

const MOST_TILES = 5;
const BORDER = 4;

/** Reads all pictures of a request. */
export async function readGiven(kit: SceneKit, request: ClipRequest): Promise<GivenPictures> {
  const { firstFrame, lastFrame, references, figures } = request;
  const small = [...references, ...figures.flatMap((figure) => figure.picture ?? [])];
  const side = Math.floor(Math.min(request.width, request.height) / 6 / 16) * 16;
  const most = Math.min(MOST_TILES, Math.floor(request.width / (side + 16)) - 1);
  const tiles: Tile[] = [];
  for (const [index, reference] of small.slice(0, most).entries()) {
    const spot = { x: 32 + index * (side + 16), y: 32, width: side, height: side };
    tiles.push({ rgb: await framed(kit, reference, side), spot });
  }
  const whole = (reference: ReferencePicture | undefined, param: string) =>
    reference && readWhole(kit, reference, request, param);
  const [first, last] = await Promise.all([whole(firstFrame, 'reference'), whole(lastFrame, 'end_reference')]);
  return { first, last, tiles };
}

async function readWhole(
  kit: SceneKit,
  reference: ReferencePicture,
  frame: { width: number; height: number },
  param: string,
): Promise<GivenPicture> {
  const rgb =
    'path' in reference ? await readFilling(reference, frame, param) : drawStandIn(kit, reference.standIn, frame);
  return new GivenPicture(rgb, frame);
}

async function framed(kit: SceneKit, reference: ReferencePicture, side: number): Promise<Buffer> {
  const inner = side - 2 * BORDER;
  const size = { width: inner, height: inner };
  const { bytes: rgb } =
    'path' in reference ? await readFitted(reference, size, 'references') : drawStandIn(kit, reference.standIn, size);
  const out = Buffer.alloc(side * side * 3, 255);
  for (let row = 0; row < inner; row++) {
    rgb.copy(out, ((row + BORDER) * side + BORDER) * 3, row * inner * 3, (row + 1) * inner * 3);
  }
  return out;
}

/** A scene that follows from the hash of a URL that may not be fetched. */
function drawStandIn(kit: SceneKit, standIn: string, size: { width: number; height: number }): Rgb {
  const canvas = new Canvas(size.width, size.height, new Palette());
  const plan = planScene(kit, { prompt: standIn, seed: 0, strength: 1 });
  const view = { scale: size.height, x: size.width / 2, y: 0 };
  const painter = new Painter(canvas, view, kit.silhouettes);
  paintScene({ painter, plan, light: plan.light, spread: size.width / size.height / 2, floor: 1 });
  const bytes = Buffer.allocUnsafe(canvas.pixels.length * 3);
  for (let at = 0; at < canvas.pixels.length; at++) {
    bytes.writeUIntBE(canvas.palette.colours[canvas.pixels[at] ?? 0] ?? 0, at * 3, 3);
  }
  return { bytes, ...size };
}
