import { EmulatorError } from '../../base/errors.ts';
import { splitCharactersAndEmoji } from '../paint/emoji.ts';
import { loadSharp, renderSvgToPng, type Size, svgImageElement } from '../picture/render-svg.ts';
import type { ClipElement, ClipRequest, ReferencePicture } from '../render-request.ts';
import type { Habitat } from '../scene/figure-set.ts';
import { figureColors, placedFigures } from '../scene/paint-figures.ts';
import { paintScene } from '../scene/paint-scene.ts';
import {
  type PlacedFigure,
  type Placement,
  type SceneAssets,
  type SceneView,
  transformSvgToView,
} from '../scene/painter.ts';
import { planScene, type ScenePlan } from '../scene/scene-plan.ts';
import type { StillArea } from './camera-move.ts';
import { engineAccentColor, svgFilledRectangle } from './clip-layout.ts';

const ALOFT = new Set<Habitat>(['air', 'space']);
const FLOOR = 0.84;
const MAX_FIGURES = 6;

export class ClipScene {
  readonly plan: ScenePlan;
  readonly #kit: SceneAssets;
  readonly #request: ClipRequest;
  #drawn: string | undefined;

  constructor(kit: SceneAssets, request: ClipRequest) {
    this.#kit = kit;
    this.#request = request;
    const { prompt, negativePrompt, seed, lighting } = request;
    const plan = planScene(kit, { prompt, negativePrompt, seed, lighting, strength: 1 });
    const kept = plan.figures.filter((figure, at) => at === 0 || ALOFT.has(figure.shape.home));
    this.plan = request.figures.length > 0 ? { ...plan, figures: kept } : plan;
  }

  get subject(): PlacedFigure | undefined {
    const [first] = this.plan.figures;
    const { width, height } = this.#request;
    if (!first || !(this.plan.moves || first.shape.home !== 'ground')) return undefined;
    const placed = placedFigures({ plan: this.plan, spread: width / height / 2, floor: FLOOR });
    return placed.find(({ figure }) => figure === first);
  }

  draw(view: SceneView, widest: SceneView): string {
    this.#drawn ??= this.#draw(widest);
    return (
      transformSvgToView(this.#drawn, view) +
      this.#placed()
        .map((each) => this.#nameTag(each, view))
        .join('')
    );
  }

  #draw({ x, scale }: SceneView): string {
    const { width, height, engine } = this.#request;
    const reach = Math.max(x, width - x) / scale + 0.05;
    const { painter, light } = paintScene(this.#kit, this.plan, { spread: width / height / 2, reach, floor: FLOOR });
    for (const { figure, placed } of this.#placed()) {
      const { subjects } = this.#kit.lexicon.read(`${figure.name} ${figure.kind} ${figure.handle}`);
      const shape = this.#kit.figures.shape(subjects[0]?.concept ?? '') ?? this.#kit.figures.shape('person');
      const outline = engineAccentColor(engine);
      if (shape) painter.figure(shape, placed, { colours: figureColors(shape, light, undefined), outline });
    }
    return painter.drawn;
  }

  #placed(): { figure: ClipElement; placed: Placement }[] {
    const { figures, width, height } = this.#request;
    const spread = width / height / 2;
    const shown = figures.slice(0, MAX_FIGURES);
    const isShared = this.plan.figures.some((figure) => !ALOFT.has(figure.shape.home));
    const aside = this.plan.focus > 0 ? -1 : 1;
    const size = Math.min(0.24, (spread * (isShared ? 0.9 : 1.2)) / Math.max(3, shown.length));
    return shown.map((figure, at) => {
      const offset = aside * spread * (0.95 - (0.75 * (at + 0.5)) / shown.length);
      const x = isShared ? offset : ((at + 1) / (shown.length + 1) - 0.5) * spread * 1.7;
      return { figure, placed: { x, y: 0.79 + (at % 2) * 0.015, size, flip: x > 0 } };
    });
  }

  #nameTag({ figure, placed }: { figure: ClipElement; placed: Placement }, view: SceneView): string {
    const { width, height, engine } = this.#request;
    const { lettering } = this.#kit;
    const size = Math.max(14, Math.round(Math.min(width, height) / 40));
    const shown = lettering.visible(figure.name) || lettering.visible(figure.handle);
    if (shown === '') return '';
    const letters = [...splitCharactersAndEmoji(shown)].map(({ text }) => text);
    const name = letters.length > 24 ? `${letters.slice(0, 23).join('')}…` : shown;
    const half = Math.ceil(lettering.measure(name, size) / 2) + Math.round(size * 0.5);
    const x = Math.round(placed.x * view.scale + view.x);
    const bottom = Math.round((placed.y - placed.size * 1.02) * view.scale + view.y);
    const top = bottom - Math.round(size * 1.5);
    const plate = svgFilledRectangle([x - half, top, x + half, bottom], 0x12151d);
    const rule = svgFilledRectangle([x - half, bottom - 3, x + half, bottom], engineAccentColor(engine));
    const line = { x: x - half + size * 0.5, baseline: top + Math.round(size * 1.05), size, colour: 0xffffff };
    return plate + rule + lettering.draw(name, line);
  }
}

export interface PlacedReferencePictures {
  first?: string;
  last?: string;
  tiles: string;
  spots: StillArea[];
}

const MAX_TILES = 5;
const BORDER = 4;
const MAX_PIXELS = 64 * 1024 * 1024;

export async function loadReferencePictures(kit: SceneAssets, request: ClipRequest): Promise<PlacedReferencePictures> {
  const { firstFrame, lastFrame, references, figures, width, height } = request;
  const small = [...references, ...figures.flatMap((figure) => figure.picture ?? [])];
  const side = Math.floor(Math.min(width, height) / 6 / 16) * 16;
  const most = Math.min(MAX_TILES, Math.floor(width / (side + 16)) - 1);
  const shown = small.slice(0, most);
  const spots = shown.map((_, at) => ({ x: 32 + at * (side + 16), y: 32, width: side, height: side }));
  const whole = async (reference: ReferencePicture | undefined, param: string) => {
    const frame = { x: 0, y: 0, width, height };
    return reference && svgImageElement(await fitted(kit, reference, { size: frame, param }), frame);
  };
  const tiles = shown.map(async (reference, at) => {
    const { x, y } = spots[at] as StillArea;
    const inner = { x: x + BORDER, y: y + BORDER, width: side - 2 * BORDER, height: side - 2 * BORDER };
    const picture = await fitted(kit, reference, { size: inner, param: 'references' });
    return svgFilledRectangle([x, y, x + side, y + side], 0xffffff) + svgImageElement(picture, inner);
  });
  const [first, last, ...drawn] = await Promise.all([
    whole(firstFrame, 'reference'),
    whole(lastFrame, 'end_reference'),
    ...tiles,
  ]);
  return { first, last, tiles: drawn.join(''), spots };
}

function fitted(kit: SceneAssets, reference: ReferencePicture, { size, param }: { size: Size; param: string }) {
  return 'path' in reference ? readFitted(reference.path, size, param) : drawStandIn(kit, reference.standIn, size);
}

async function readFitted(path: string, { width, height }: Size, param: string): Promise<Buffer> {
  const sharp = loadSharp();
  try {
    const picture = sharp(path, { limitInputPixels: MAX_PIXELS, failOn: 'truncated' }).autoOrient();
    const cut = picture
      .flatten({ background: '#000000' })
      .toColourspace('srgb')
      .resize(width, height, { fit: 'cover' });
    return await cut.png({ compressionLevel: 1 }).toBuffer();
  } catch (cause) {
    const text = `The image given as ${param} cannot be decoded; give a whole PNG, JPEG or WebP file.`;
    throw new EmulatorError('invalid_request', text, { param, cause });
  }
}

function drawStandIn(kit: SceneAssets, standIn: string, { width, height }: Size): Promise<Buffer> {
  const plan = planScene(kit, { prompt: standIn, seed: 0, strength: 1 });
  const spread = width / height / 2;
  const { painter } = paintScene(kit, plan, { spread, reach: spread, floor: 1 });
  return renderSvgToPng({ width, height }, transformSvgToView(painter.drawn, { scale: height, x: width / 2, y: 0 }));
}
