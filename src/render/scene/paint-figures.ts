import { blend, type Rgb } from '../paint/palette.ts';
import { lighten, luma } from '../paint/rgb.ts';
import { smoothNoise } from '../paint/seeded-random.ts';
import { placeFigures } from './figure-places.ts';
import type { FigureShape } from './figure-set.ts';
import type { Painter } from './painter.ts';
import type { Light } from './scene-plan.ts';
import { type PlacedFigure, type Stage, tone } from './stage.ts';

/** Where whoever stands on the ground has none under the feet. */
const WATERY = new Set(['sea', 'lake', 'island']);
/** A figure that is no brighter or darker than this than what is behind it gets a rim. */
const STANDS_OUT = 46;
const RIM = 0.007;

/** The figures that the words name: the subject in front, on firm ground, and standing out from what is behind it. */
export function paintFigures(stage: Stage): void {
  const { plan } = stage;
  const placed = stage.goers ? [...(stage.resting ?? []), ...stage.goers] : placedFigures(stage);
  const grounded = placed.filter(({ figure }) => figure.shape.home === 'ground');
  // Behind what crosses the water others stand on the far shore.
  if (WATERY.has(plan.ground) && grounded.length > 0 && !stage.goers) paintBank(stage);
  for (const each of placed) paintFigure(stage, each);
}

/** Where the figures of a plan stand by themselves. */
export function placedFigures({ plan, spread, floor }: Pick<Stage, 'plan' | 'spread' | 'floor'>): PlacedFigure[] {
  const shown = plan.figures.slice(0, 1 + Math.round(plan.strength * 2));
  const scale = Math.min(1.2, 0.8 + 0.2 * plan.strength);
  const frame = { spread, floor, focus: plan.focus, ground: plan.ground, scale, rides: plan.rides };
  return placeFigures(shown, frame, plan.random.branch('figures'));
}

function paintFigure(stage: Stage, placed: PlacedFigure): void {
  const { painter, light, plan } = stage;
  const { figure, x, y, size } = placed;
  const { shape } = figure;
  const colours = coloursOf(shape, light, figure.tint);
  const [width, height] = [shape.width * size, shape.height * size];
  if (shape.home === 'ground' && plan.ground !== 'space') {
    painter.shadow(x, y - 0.002, [width * 1.06, Math.min(0.05, width * 0.16)], 0x05060c);
  }
  if (!plan.rims.has(figure)) plan.rims.set(figure, rimOf(stage, placed, brightnessOf(shape, colours)));
  const rim = plan.rims.get(figure);
  if (rim !== undefined)
    painter.figure(
      shape,
      placed,
      colours.map(() => rim),
      RIM,
    );
  painter.figure(shape, placed, colours);
  if (shape.concept === 'lighthouse' && light.dark) paintBeam(stage, { x, y: y - height * 0.81 });
}

/** The colour of the rim that a figure of this brightness needs where it stands; undefined where it stands out by itself. */
function rimOf({ painter, light }: Stage, { figure, x, y, size }: PlacedFigure, own: number): Rgb | undefined {
  const [width, height] = [figure.shape.width * size, figure.shape.height * size];
  const behind = brightnessIn(painter, [x - width / 2, y - height], [width, height]) ?? 128;
  if (Math.abs(own - behind) >= STANDS_OUT) return undefined;
  return behind > 150 ? lighten(light.near, -0.3) : blend(0xffffff, light.body, 0.35);
}

/** The mean brightness, 0 to 255, of some points of a box in the picture; undefined where none is in it. */
function brightnessIn(
  painter: Painter,
  [x, y]: [number, number],
  [width, height]: [number, number],
): number | undefined {
  const { canvas } = painter;
  let [sum, count] = [0, 0];
  for (let point = 0; point < 49; point++) {
    const column = painter.column(x + width * (((point % 7) + 0.5) / 7));
    const row = painter.row(y + height * ((Math.floor(point / 7) + 0.5) / 7));
    if (column < 0 || row < 0 || column >= canvas.width || row >= canvas.height) continue;
    sum += luma(canvas.palette.colours[canvas.pixels[row * canvas.width + column] ?? 0] ?? 0);
    count++;
  }
  return count > 0 ? sum / count : undefined;
}

/** A strip of land at the viewer's feet. */
function paintBank({ painter, light, plan, floor }: Stage): void {
  const seed = plan.random.branch('bank').below(9999);
  const line = (x: number) => floor - 0.075 + 0.012 * smoothNoise(seed, x * 3);
  const land = tone(light, 1);
  painter.below(line, [lighten(land, 0.14), land, lighten(land, -0.12)], 0.12);
}

function paintBeam({ painter, light, plan }: Stage, lamp: { x: number; y: number }): void {
  const side = lamp.x > 0 ? -1 : 1;
  painter.polygon(
    [lamp.x, lamp.y, lamp.x + side * 1.2, lamp.y - 0.16, lamp.x + side * 1.2, lamp.y + 0.1],
    blend(light.sky[2] ?? 0, light.body, 0.4 + plan.strength * 0.1),
  );
}

/** Colours that differ less from the main one than this (of 442) are of the same thing, in light or shade. */
const SAME_THING = 120;
/** Darker than this is an eye or an outline, and stays. */
const INK = 52;
/** On a figure, black must leave its parts distinguishable. */
const DARKEST = 0x34353d;
const LIGHTEST = 0xf1f1ee;

/** What each layer of a figure is painted with, in the light of a scene and in the colour that its words name. */
export function coloursOf(figure: FigureShape, light: Light, tint: Rgb | undefined): Rgb[] {
  const share = light.dark ? 0.24 : 0.07;
  const lit = (colour: Rgb) => blend(colour, light.dark ? light.near : light.haze, share);
  if (tint === undefined) return figure.layers.map(({ colour }) => lit(colour));
  const main = mainColour(figure);
  return figure.layers.map(({ colour }) =>
    lit(isOfMain(colour, main) ? shaded(tint, luma(colour) - luma(main)) : colour),
  );
}

/** The mean brightness of a figure in given colours, 0 to 255. */
function brightnessOf({ layers }: FigureShape, colours: readonly Rgb[]): number {
  let [sum, area] = [0, 0];
  for (const [at, layer] of layers.entries()) {
    // What lies in front covers what is behind it.
    sum = sum * (1 - Math.min(0.9, layer.area)) + luma(colours[at] ?? 0) * layer.area;
    area = area * (1 - Math.min(0.9, layer.area)) + layer.area;
  }
  return area > 0 ? sum / area : 128;
}

/** The colour of which there is most, but for ink. */
function mainColour({ layers }: FigureShape): Rgb {
  const areas = new Map<Rgb, number>();
  for (const { colour, area } of layers) {
    if (luma(colour) >= INK) areas.set(colour, (areas.get(colour) ?? 0) + area);
  }
  const [most] = [...areas].sort(([, one], [, other]) => other - one);
  return most?.[0] ?? layers[0]?.colour ?? 0x808080;
}

function isOfMain(colour: Rgb, main: Rgb): boolean {
  if (luma(colour) < INK && luma(main) >= INK) return false;
  const apart = [16, 8, 0].map((shift) => ((colour >> shift) & 255) - ((main >> shift) & 255));
  return apart.reduce((sum, part) => sum + part * part, 0) < SAME_THING * SAME_THING;
}

/** The named colour, as much lighter or darker as the layer is than the main one. */
function shaded(tint: Rgb, change: number): Rgb {
  const base = luma(tint) < luma(DARKEST) ? DARKEST : luma(tint) > luma(LIGHTEST) ? LIGHTEST : tint;
  return lighten(base, Math.max(-0.45, Math.min(0.45, change / 255)));
}
