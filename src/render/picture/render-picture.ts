import { Canvas } from '../paint/canvas.ts';
import type { Lettering } from '../paint/lettering.ts';
import { Palette } from '../paint/palette.ts';
import { runsLeftwards } from '../paint/text-runs.ts';
import { visibleText, wrapText } from '../paint/wrap-text.ts';
import type { ImageRequest } from '../render-request.ts';
import { finishSurface, gradeStyles } from '../scene/finish-style.ts';
import { paintScene } from '../scene/paint-scene.ts';
import { Painter } from '../scene/painter.ts';
import { planScene } from '../scene/scene-plan.ts';
import type { SceneKit } from '../scene/stage.ts';
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

/** Sizes tried for a caption, largest first, each with the lines it may take. */
const SIZES = [
  { size: 38, lines: 2 },
  { size: 30, lines: 3 },
  { size: 24, lines: 4 },
  { size: 19, lines: 6 },
];
const MARGIN = 48;
const MARK_SIZE = 17;

interface Caption {
  prompt: string;
  /** The small line that says what this is. */
  mark: string;
}

/** Sets the prompt on a dark glass at the foot of the picture, and below it the mark. */
function drawCaption(canvas: Canvas, lettering: Lettering, caption: Caption): void {
  const { size, lines } = typeset(lettering, visibleText(caption.prompt), canvas.width - 2 * MARGIN);
  const step = Math.round(size * 1.3);
  const top = canvas.height - 62 - lines.length * step;
  const { palette } = canvas;
  canvas.glaze({ left: 0, top, right: canvas.width, bottom: canvas.height }, palette.ensure(0x0a0c14), 5);
  const white = palette.ensure(0xffffff);
  for (const [row, line] of lines.entries()) {
    const baseline = top + 14 + Math.round(size * 0.95) + row * step;
    const x = runsLeftwards(line) ? canvas.width - MARGIN - lettering.measure(line, size) : MARGIN;
    lettering.draw(canvas, line, { x, baseline, size, place: white });
  }
  const baseline = canvas.height - 22;
  const pale = palette.ensure(0xc9ced8);
  drawDiamond(canvas, { x: MARGIN + 7, y: baseline - 6, place: palette.ensure(0xffc857) });
  lettering.draw(canvas, caption.mark, { x: MARGIN + 24, baseline, size: MARK_SIZE, place: pale });
}

function typeset(lettering: Lettering, text: string, width: number): { size: number; lines: string[] } {
  for (const { size, lines: most } of SIZES) {
    const lines = wrapText(text, width, most, (part) => lettering.measure(part, size));
    if (lines.at(-1)?.endsWith('…') !== true || size === SIZES.at(-1)?.size) return { size, lines };
  }
  return { size: MARK_SIZE, lines: [] };
}

function drawDiamond(canvas: Canvas, spot: { x: number; y: number; place: number }): void {
  for (let row = -6; row <= 6; row++) {
    const half = 6 - Math.abs(row);
    canvas.fillRow(spot.y + row, spot.x - half, spot.x + half + 1, spot.place);
  }
}
