import { Canvas } from '../../src/render/paint/canvas.ts';
import { Palette, type Rgb } from '../../src/render/paint/palette.ts';
import type { ImageRequest } from '../../src/render/render-request.ts';
import type { FigureShape } from '../../src/render/scene/figure-set.ts';
import { paintScene } from '../../src/render/scene/paint-scene.ts';
import { Painter, type Placed } from '../../src/render/scene/painter.ts';
import { planScene } from '../../src/render/scene/scene-plan.ts';
import type { SceneKit } from '../../src/render/scene/stage.ts';

const SIDE = 1024;

/** Where the points of a shape go. */
interface Placing {
  x: number;
  y: number;
  across: number;
  down: number;
}

/** Notes as SVG what is painted as shapes: outlines, discs, boxes and skylines. Each shape is noted once, without its rim. */
class NotingPainter extends Painter {
  readonly noted: string[] = [];
  readonly gradients: string[] = [];

  override polygon(points: readonly number[], colour: Rgb): void {
    this.#path([points], { x: 0, y: 0, across: 1, down: 1 }, colour);
  }

  override disc(x: number, y: number, radius: number, colour: Rgb): void {
    this.noted.push(`<circle cx="${x}" cy="${y}" r="${radius}" fill="${hex(colour)}"/>`);
  }

  override box(x: number, y: number, [width, height]: [number, number], colour: Rgb): void {
    this.noted.push(`<rect x="${x}" y="${y}" width="${width}" height="${height}" fill="${hex(colour)}"/>`);
  }

  override shadow(x: number, y: number, [width, height]: [number, number], colour: Rgb): void {
    const size = `cx="${x}" cy="${y}" rx="${width / 2}" ry="${height / 2}"`;
    this.noted.push(`<ellipse ${size} fill="${hex(colour)}" fill-opacity=".25"/>`);
  }

  override silhouette(name: string, { x, y, size, flip, colour }: Placed): void {
    const down = size / 1000;
    this.#path(this.silhouettes.shape(name), { x, y, across: flip ? -down : down, down }, colour);
  }

  override figure(shape: FigureShape, placed: Omit<Placed, 'colour'>, colours: readonly Rgb[], around = 0): void {
    if (around > 0) return;
    const { x, y, size, flip } = placed;
    for (const [at, { contours }] of shape.layers.entries()) {
      this.#path(contours, { x, y, across: flip ? -size : size, down: size }, colours[at] ?? 0);
    }
  }

  /** A line with a point for every fourth pixel, and its shades as one gradient. */
  override below(line: (x: number) => number, shades: readonly Rgb[], depth: number): void {
    const count = SIDE / 4 + 1;
    const points = Array.from({ length: count }, (_, at) => -0.5 + at / (count - 1)).map((x) => [x, line(x)] as const);
    const top = Math.min(...points.map(([, y]) => y));
    const fill = this.gradient(top, top + depth, shades);
    const way = points.map(([x, y]) => `${x.toFixed(4)} ${y.toFixed(4)}`).join('L');
    this.noted.push(`<path d="M${way}L.5 1L-.5 1Z" fill="${fill}"/>`);
  }

  gradient(from: number, to: number, shades: readonly Rgb[]): string {
    const id = `g${this.gradients.length}`;
    const stops = shades.map(
      (shade, at) => `<stop offset="${at / Math.max(1, shades.length - 1)}" stop-color="${hex(shade)}"/>`,
    );
    const line = `gradientUnits="userSpaceOnUse" x1="0" x2="0" y1="${from}" y2="${to}"`;
    this.gradients.push(`<linearGradient id="${id}" ${line}>${stops.join('')}</linearGradient>`);
    return `url(#${id})`;
  }

  #path(contours: readonly (readonly number[])[], { x, y, across, down }: Placing, colour: Rgb): void {
    const ways = contours.map((points) => {
      const pairs = Array.from({ length: points.length / 2 }, (_, at) => {
        const [right, low] = [(points[2 * at] ?? 0) * across + x, (points[2 * at + 1] ?? 0) * down + y];
        return `${right.toFixed(4)} ${low.toFixed(4)}`;
      });
      return `M${pairs.join('L')}Z`;
    });
    this.noted.push(`<path d="${ways.join('')}" fill="${hex(colour)}"/>`);
  }
}

/**
 * An SVG of the same scene as the picture of `request`, of gradients and plain shapes, for whoever paints SVG. What ours
 * paints row by row (the glow round the sun, glints on water, rain) is left out, which spares the other side work.
 */
export function sceneSvg(kit: SceneKit, request: ImageRequest): string {
  const plan = planScene(kit, { prompt: request.prompt, negativePrompt: undefined, seed: request.seed, strength: 1 });
  const canvas = new Canvas(SIDE, SIDE, new Palette());
  const painter = new NotingPainter(canvas, { scale: SIDE, x: SIDE / 2, y: 0 }, kit.silhouettes);
  const sky = painter.gradient(0, plan.horizon, plan.light.sky);
  paintScene({ painter, plan, light: plan.light, spread: 0.5, floor: 0.84 });
  const glass = `<rect x="-.5" y=".89" width="1" height=".11" fill="#0a0c14" fill-opacity=".63"/>`;
  const text = `<text x="48" y="960" font-size="38" fill="#fff">${request.prompt}</text>`;
  const scene = `<rect x="-.5" width="1" height="1" fill="${sky}"/>${painter.noted.join('')}${glass}`;
  const open = `<svg xmlns="http://www.w3.org/2000/svg" width="${SIDE}" height="${SIDE}">`;
  const placed = `<g transform="translate(${SIDE / 2}) scale(${SIDE})">${scene}</g>`;
  return `${open}<defs>${painter.gradients.join('')}</defs>${placed}${text}</svg>`;
}

function hex(colour: Rgb): string {
  return `#${colour.toString(16).padStart(6, '0')}`;
}
