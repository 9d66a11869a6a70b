import { Canvas } from '../paint/canvas.ts';
import { Palette } from '../paint/palette.ts';
import type { ImageRequest } from '../render-request.ts';
import { finishSurface, gradeStyles } from '../scene/finish-style.ts';
import { paintScene } from '../scene/paint-scene.ts';
import { Painter } from '../scene/painter.ts';
import type { SceneKit } from '../scene/scene-kit.ts';
import { planScene } from '../scene/scene-plan.ts';
import { drawCaption } from './caption.ts';
import { PngEncoder } from './png-file.ts';

const SIDE = 1024;
/** The scale on which the words act with their usual strength. */
const USUAL_CFG = 7;

/** Paints pictures; keeps the words, shapes and letters it has read. */
export class PictureEngine {
  readonly #kit: SceneKit;
  readonly #encoder: PngEncoder;
  readonly #canvas: Canvas;

  /** `side`: of its pictures, in pixels, a multiple of 4. */
  constructor(kit: SceneKit, side = SIDE) {
    this.#kit = kit;
    this.#encoder = new PngEncoder(side, side);
    this.#canvas = new Canvas(side, side, new Palette());
  }

  /** A square PNG. */
  paint(request: ImageRequest): Buffer {
    const canvas = this.#canvas;
    // Nothing of the picture before may shine through.
    canvas.pixels.fill(0);
    canvas.palette.clear();
    const plan = planScene(this.#kit, {
      ...{ prompt: request.prompt, negativePrompt: request.negativePrompt, seed: request.seed },
      strength: (request.cfgScale ?? USUAL_CFG) / USUAL_CFG,
    });
    const painter = new Painter(canvas, { scale: canvas.width, x: canvas.width / 2, y: 0 }, this.#kit.silhouettes);
    paintScene({ painter, plan, light: plan.light, spread: 0.5, floor: 0.84 });
    gradeStyles(canvas, plan.styles);
    finishSurface(canvas, plan.styles);
    const mark = `placeholder  ·  ${request.model}  ·  seed ${request.seed}`;
    drawCaption(canvas, this.#kit.lettering, { prompt: request.prompt, mark });
    return this.#encoder.encode(canvas, recipe(request), request.bytes);
  }
}

/** How the picture came about, in the words of the IPTC: no camera, and nothing that was learnt. */
const SOURCE = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" xmlns:Iptc4xmpExt="http://iptc.org/std/Iptc4xmpExt/2008-02-29/" Iptc4xmpExt:DigitalSourceType="http://cv.iptc.org/newscodes/digitalsourcetype/algorithmicMedia"/></rdf:RDF></x:xmpmeta>`;

function recipe(request: ImageRequest): Record<string, string> {
  const { model, prompt, negativePrompt, cfgScale, seed } = request;
  return {
    Description: prompt,
    Software: 'svc-emulator (placeholder picture)',
    Recipe: JSON.stringify({ model, prompt, negativePrompt, cfgScale, seed }),
    'XML:com.adobe.xmp': SOURCE,
  };
}
