import { Lettering } from '../paint/lettering.ts';
import { adjustLightness, blend, formatHexColor, gradientColorAt, type Rgb, svgPathData } from '../paint/rgb.ts';
import type { SeededRandom } from '../paint/seeded-random.ts';
import type { PlannedFigure } from './choose-figures.ts';
import { FigureSet, type FigureShape, SilhouetteSet } from './figure-set.ts';
import { Lexicon } from './scene-lexicon.ts';
import type { SceneLight, ScenePlan } from './scene-plan.ts';

/** SVG units per scene unit, which is the height of the picture. y grows downwards from its top. */
export const SVG_UNITS_PER_SCENE_UNIT = 2000;
const STEP = 1 / 160;
const OUTLINED = 0.015;

export interface Placement {
  x: number;
  y: number;
  size: number;
  flip?: boolean;
}

export class Painter {
  readonly left: number;
  readonly right: number;
  readonly #silhouettes: SilhouetteSet;
  readonly #grade: (colour: Rgb) => Rgb;
  readonly #nodes: string[] = [];
  #gradients = 0;

  /** `reach` is the visible distance to each side of the middle, in scene units. `grade` changes every color. */
  constructor(reach: number, silhouettes: SilhouetteSet, grade: (colour: Rgb) => Rgb) {
    [this.left, this.right] = [-reach, reach];
    this.#silhouettes = silhouettes;
    this.#grade = grade;
  }

  get drawn(): string {
    return this.#nodes.join('');
  }

  below(line: (x: number) => number, shades: readonly Rgb[], depth: number): void {
    const points: number[] = [];
    let top = Number.POSITIVE_INFINITY;
    for (let x = this.left - STEP; x < this.right + 2 * STEP; x += STEP) {
      const y = line(x);
      top = Math.min(top, y);
      points.push(x, y);
    }
    points.push(this.right + 1, 3, this.left - 1, 3);
    this.#add(
      `<path d="${svgPathData([points], SVG_UNITS_PER_SCENE_UNIT)}" fill="${this.#shades(top, top + depth, shades)}"/>`,
    );
  }

  polygon(points: readonly number[], colour: Rgb, opacity = 1): void {
    this.#add(`<path d="${svgPathData([points], SVG_UNITS_PER_SCENE_UNIT)}"${this.#fill(colour, opacity)}/>`);
  }

  disc(x: number, y: number, radius: number, colour: Rgb): void {
    this.oval({ x, y, width: 2 * radius, height: 2 * radius }, colour);
  }

  oval(oval: { x: number; y: number; width: number; height: number }, colour: Rgb, opacity = 1): void {
    const [x, y, across, down] = [oval.x, oval.y, oval.width / 2, oval.height / 2].map(fine);
    this.#add(`<ellipse cx="${x}" cy="${y}" rx="${across}" ry="${down}"${this.#fill(colour, opacity)}/>`);
  }

  box(x: number, y: number, [width, height]: [number, number], colour: Rgb): void {
    const place = `x="${fine(x)}" y="${fine(y)}" width="${fine(width)}" height="${fine(height)}"`;
    this.#add(`<rect ${place}${this.#fill(colour, 1)}/>`);
  }

  glow(x: number, y: number, reach: number, colour: Rgb): void {
    const name = `g${this.#gradients++}`;
    const stops = [0.9, 0.45, 0.12, 0].map(
      (share, at) =>
        `<stop offset="${at / 3}" stop-color="${formatHexColor(this.#grade(colour))}" stop-opacity="${share}"/>`,
    );
    this.#add(`<radialGradient id="${name}">${stops.join('')}</radialGradient>`);
    this.#add(`<circle cx="${fine(x)}" cy="${fine(y)}" r="${fine(reach)}" fill="url(#${name})"/>`);
  }

  silhouette(name: string, placed: Placement & { colour: Rgb }): void {
    const path = this.#silhouettes.path(name);
    this.#add(`<path transform="${placing(placed)}" d="${path}"${this.#fill(placed.colour, 1)}/>`);
  }

  figure(shape: FigureShape, placed: Placement, look: { colours: readonly Rgb[]; outline: Rgb }): void {
    const outer = shape.layers.filter(({ area }) => area >= OUTLINED).map(({ path }) => path);
    const wide = Math.round(12 / Math.max(0.1, placed.size));
    const rim = `stroke="${formatHexColor(this.#grade(look.outline))}" stroke-width="${wide}" stroke-linejoin="round"`;
    const layers = shape.layers.map(({ path }, at) => `<path d="${path}"${this.#fill(look.colours[at] ?? 0, 1)}/>`);
    const around = outer.map((path) => `<path d="${path}"/>`).join('');
    this.#add(`<g transform="${placing(placed)}"><g fill="none" ${rim}>${around}</g>${layers.join('')}</g>`);
  }

  #add(node: string): void {
    this.#nodes.push(node);
  }

  #fill(colour: Rgb, opacity: number): string {
    return ` fill="${formatHexColor(this.#grade(colour))}"${opacity < 1 ? ` fill-opacity="${opacity}"` : ''}`;
  }

  #shades(from: number, to: number, shades: readonly Rgb[]): string {
    const [only = 0] = shades;
    if (shades.length === 1) return formatHexColor(this.#grade(only));
    const name = `g${this.#gradients++}`;
    const stops = shades.map((shade, at) => {
      const offset = Math.round((1000 * at) / (shades.length - 1)) / 1000;
      return `<stop offset="${offset}" stop-color="${formatHexColor(this.#grade(shade))}"/>`;
    });
    const line = `gradientUnits="userSpaceOnUse" x1="0" x2="0" y1="${fine(from)}" y2="${fine(to)}"`;
    this.#add(`<linearGradient id="${name}" ${line}>${stops.join('')}</linearGradient>`);
    return `url(#${name})`;
  }
}

/** `x` and `y` are the place of the scene's top middle in pixels, and `scale` the pixels per scene unit. */
export interface SceneView {
  scale: number;
  x: number;
  y: number;
}

export function transformSvgToView(drawn: string, { scale, x, y }: SceneView): string {
  return `<g transform="translate(${x} ${y}) scale(${scale / SVG_UNITS_PER_SCENE_UNIT})">${drawn}</g>`;
}

function fine(value: number): number {
  return Math.round(value * SVG_UNITS_PER_SCENE_UNIT);
}

function placing({ x, y, size, flip }: Placement): string {
  const scale = Math.round(size * SVG_UNITS_PER_SCENE_UNIT) / 1000;
  return `translate(${fine(x)} ${fine(y)}) scale(${flip ? -scale : scale} ${scale})`;
}

export interface PaintingContext {
  painter: Painter;
  plan: ScenePlan;
  light: SceneLight;
  spread: number;
  floor: number;
}

export function tintByDepth(light: SceneLight, depth: number, hue: Rgb = light.land): Rgb {
  const body = blend(hue, light.near, light.dark ? 0.72 : 0.42);
  return blend(light.haze, body, Math.min(1, 0.12 + 0.88 * depth));
}

const SHADES = 5;

export function hazeFadeColors(light: SceneLight, top: Rgb, share: number): Rgb[] {
  return Array.from({ length: SHADES }, (_, at) => blend(top, light.haze, (share * at) / SHADES));
}

export function darkerShadesOf(top: Rgb): Rgb[] {
  return Array.from({ length: SHADES }, (_, at) => adjustLightness(top, (-0.4 * at) / SHADES));
}

export function mirroredSkyColors(light: SceneLight, count: number): Rgb[] {
  const stops = [...light.sky].reverse();
  return Array.from({ length: count }, (_, at) =>
    adjustLightness(blend(gradientColorAt(stops, at / count), light.near, 0.12 + (0.3 * at) / count), -0.06),
  );
}

export function forEachPlaceInRow(
  stage: PaintingContext,
  row: { name: string; step: number; reach: number },
  paint: (x: number, random: SeededRandom) => void,
): void {
  const { painter, plan } = stage;
  const first = Math.floor((painter.left - row.reach) / row.step);
  const last = Math.ceil((painter.right + row.reach) / row.step);
  const random = plan.random.branch(row.name);
  for (let slot = first; slot <= last; slot++) paint(slot * row.step, random.at(slot));
}

/** A figure and its place in scene units. `x` is its middle, `y` its feet, `size` its longer side. */
export interface PlacedFigure {
  figure: PlannedFigure;
  x: number;
  y: number;
  size: number;
  flip: boolean;
}

export interface SceneAssets {
  lexicon: Lexicon;
  figures: FigureSet;
  silhouettes: SilhouetteSet;
  lettering: Lettering;
}

export function loadSceneAssets(): SceneAssets {
  const figures = new FigureSet();
  const lettering = new Lettering((code) => figures.shape(figures.conceptOf(code) ?? ''));
  return { lexicon: new Lexicon(), figures, silhouettes: new SilhouetteSet(), lettering };
}
