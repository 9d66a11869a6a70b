import { EmulatorError } from '../../base/errors.ts';
import { loadSharp } from '../load-sharp.ts';
import { drawPng, placedPicture, type Size, viewed } from '../picture/raster.ts';
import type { ClipRequest, ReferencePicture } from '../render-request.ts';
import { paintScene } from '../scene/paint-scene.ts';
import type { SceneKit } from '../scene/painter.ts';
import { planScene } from '../scene/scene-plan.ts';
import type { StillPart } from './camera-move.ts';
import { box } from './draw-slate.ts';

export interface GivenPictures {
  first?: string;
  last?: string;
  tiles: string;
  spots: StillPart[];
}

const MOST_TILES = 5;
const BORDER = 4;
const MOST_PIXELS = 64 * 1024 * 1024;

export async function readGiven(kit: SceneKit, request: ClipRequest): Promise<GivenPictures> {
  const { firstFrame, lastFrame, references, figures, width, height } = request;
  const small = [...references, ...figures.flatMap((figure) => figure.picture ?? [])];
  const side = Math.floor(Math.min(width, height) / 6 / 16) * 16;
  const most = Math.min(MOST_TILES, Math.floor(width / (side + 16)) - 1);
  const shown = small.slice(0, most);
  const spots = shown.map((_, at) => ({ x: 32 + at * (side + 16), y: 32, width: side, height: side }));
  const whole = async (reference: ReferencePicture | undefined, param: string) => {
    const frame = { x: 0, y: 0, width, height };
    return reference && placedPicture(await fitted(kit, reference, { size: frame, param }), frame);
  };
  const tiles = shown.map(async (reference, at) => {
    const { x, y } = spots[at] as StillPart;
    const inner = { x: x + BORDER, y: y + BORDER, width: side - 2 * BORDER, height: side - 2 * BORDER };
    const picture = await fitted(kit, reference, { size: inner, param: 'references' });
    return box([x, y, x + side, y + side], 0xffffff) + placedPicture(picture, inner);
  });
  const [first, last, ...drawn] = await Promise.all([
    whole(firstFrame, 'reference'),
    whole(lastFrame, 'end_reference'),
    ...tiles,
  ]);
  return { first, last, tiles: drawn.join(''), spots };
}

/** A PNG of the picture, cropped to `size`. A picture that may not be fetched becomes a scene chosen by its hash. */
function fitted(kit: SceneKit, reference: ReferencePicture, { size, param }: { size: Size; param: string }) {
  return 'path' in reference ? readFitted(reference.path, size, param) : drawStandIn(kit, reference.standIn, size);
}

async function readFitted(path: string, { width, height }: Size, param: string): Promise<Buffer> {
  const sharp = loadSharp();
  try {
    const picture = sharp(path, { limitInputPixels: MOST_PIXELS, failOn: 'truncated' }).autoOrient();
    const cut = picture
      .flatten({ background: '#000000' })
      .toColourspace('srgb')
      .resize(width, height, { fit: 'cover' });
    return await cut.png({ compressionLevel: 1 }).toBuffer();
  } catch (cause) {
    const text = `The picture given as ${param} cannot be decoded; give a whole PNG, JPEG or WebP file.`;
    throw new EmulatorError('invalid_request', text, { param, cause });
  }
}

function drawStandIn(kit: SceneKit, standIn: string, { width, height }: Size): Promise<Buffer> {
  const plan = planScene(kit, { prompt: standIn, seed: 0, strength: 1 });
  const spread = width / height / 2;
  const { painter } = paintScene(kit, plan, { spread, reach: spread, floor: 1 });
  return drawPng({ width, height }, viewed(painter.drawn, { scale: height, x: width / 2, y: 0 }));
}
