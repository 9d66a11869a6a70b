import { blend, lighten, luma, type Rgb } from '../paint/rgb.ts';
import { smoothNoise } from '../paint/seeded-random.ts';
import { placeFigures } from './figure-places.ts';
import type { FigureShape } from './figure-set.ts';
import type { Light } from './scene-plan.ts';
import { type PlacedFigure, type Stage, tone } from './stage.ts';

/** Where whoever stands on the ground has none under the feet. */
const WATERY = new Set(['sea', 'lake', 'island']);

/** The figures that the words name: the subject in front, on firm ground, each with an outline that sets it off. */
export function paintFigures(stage: Stage): void {
  const placed = placedFigures(stage);
  const isGrounded = placed.some(({ figure }) => figure.shape.home === 'ground');
  if (WATERY.has(stage.plan.ground) && isGrounded) paintBank(stage);
  for (const each of placed) paintFigure(stage, each);
}

/** Where the figures of a plan stand by themselves. */
export function placedFigures({ plan, spread, floor }: Pick<Stage, 'plan' | 'spread' | 'floor'>): PlacedFigure[] {
  const shown = plan.figures.slice(0, 1 + Math.round(plan.strength * 2));
  const scale = Math.min(1.2, 0.8 + 0.2 * plan.strength);
  const frame = { spread, floor, focus: plan.focus, ground: plan.ground, scale, rides: plan.rides };
  return placeFigures(shown, frame, plan.random.branch('figures'));
}

function paintFigure({ painter, light, plan }: Stage, placed: PlacedFigure): void {
  const { x, y, size } = placed;
  const { shape, tint } = placed.figure;
  const width = shape.width * size;
  if (shape.home === 'ground' && plan.ground !== 'space') {
    painter.oval({ x, y: y - 0.002, width: width * 1.06, height: Math.min(0.05, width * 0.16) }, 0x05060c, 0.25);
  }
  painter.figure(shape, placed, { colours: coloursOf(shape, light, tint), outline: outlineIn(light) });
}

/** Pale, in the light of sun or moon. */
export function outlineIn(light: Light): Rgb {
  return blend(light.dark ? 0xd8dee8 : 0xffffff, light.body, 0.25);
}

/** A strip of land at the viewer's feet. */
function paintBank({ painter, light, plan, floor }: Stage): void {
  const seed = plan.random.branch('bank').below(9999);
  const line = (x: number) => floor - 0.075 + 0.012 * smoothNoise(seed, x * 3);
  const land = tone(light, 1);
  painter.below(line, [lighten(land, 0.14), land, lighten(land, -0.12)], 0.12);
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
