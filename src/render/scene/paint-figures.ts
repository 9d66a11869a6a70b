import { blend, type Rgb } from '../paint/palette.ts';
import { lighten } from '../paint/rgb.ts';
import { smoothNoise } from '../paint/seeded-random.ts';
import { brightnessOf, coloursOf } from './figure-colours.ts';
import { type PlacedFigure, placeFigures } from './figure-places.ts';
import { type Stage, tone } from './stage.ts';

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
  const behind = painter.brightness(x - width / 2, y - height, [width, height]) ?? 128;
  if (Math.abs(own - behind) >= STANDS_OUT) return undefined;
  return behind > 150 ? lighten(light.near, -0.3) : blend(0xffffff, light.body, 0.35);
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
