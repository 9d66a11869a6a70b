import { blend } from '../paint/palette.ts';
import { lighten } from '../paint/rgb.ts';
import type { SeededRandom } from '../paint/seeded-random.ts';
import { sunPlace } from './paint-sky.ts';
import type { FigureWord, Habitat } from './scene-lexicon.ts';
import type { Stage } from './stage.ts';

/** Height of the feet in scene units, and the size, as ranges. */
const PLACES: Record<Habitat, { y: [number, number]; size: [number, number] }> = {
  air: { y: [0.2, 0.42], size: [0.12, 0.26] },
  ground: { y: [0.76, 0.83], size: [0.2, 0.36] },
  water: { y: [0.62, 0.76], size: [0.16, 0.32] },
  deep: { y: [0.4, 0.62], size: [0.14, 0.34] },
  space: { y: [0.3, 0.6], size: [0.14, 0.26] },
};

/** Some figures come in flocks. */
const FLOCKS = new Set(['dove', 'crow', 'bat', 'butterfly', 'bee', 'fish', 'sheep', 'penguin', 'balloon']);

/** Small creatures are drawn small. */
const SMALL = new Set([
  'cat',
  'dog',
  'rabbit',
  'frog',
  'snail',
  'duck',
  'mushroom',
  'bee',
  'butterfly',
  'spider',
  'kiwi',
  'campfire',
]);
const LARGE = new Set([
  'lighthouse',
  'castle',
  'eiffel',
  'cathedral',
  'church',
  'pagoda',
  'temple',
  'turbine',
  'dragon',
  'museum',
  'bridge',
  'mosque',
]);

/** The first few figures that the words name, the first one where the eye is led. */
export function paintFigures(stage: Stage): void {
  const { plan } = stage;
  const shown = plan.figures.slice(0, 1 + Math.round(plan.strength * 2));
  for (const [index, figure] of shown.entries()) {
    paintFigure(stage, figure, plan.random.branch(`figure${index}${figure.shape}`), index);
  }
}

function paintFigure(stage: Stage, figure: FigureWord, random: SeededRandom, index: number): void {
  const { plan, painter, light, spread } = stage;
  const place = PLACES[figure.habitat];
  const far = SMALL.has(figure.shape) ? 0.6 : LARGE.has(figure.shape) ? 1.5 : 1;
  const grown = Math.min(1.5, 0.55 + 0.45 * plan.strength);
  const size = random.between(...place.size) * far * grown * (index === 0 ? 1 : 0.75) * Math.min(1, spread * 2);
  const x = plan.focus * spread * (index === 0 ? random.between(0.3, 0.75) : -0.45 * index + random.between(-0.2, 0.2));
  const y = random.between(...place.y);
  const colour = figureColour(stage, figure, random);
  const flip = plan.focus > 0;
  const towardsSun = sunPlace(stage).x > x ? 0.004 : -0.004;
  const rim = blend(colour, light.body, light.dark ? 0.75 : 0.45);
  painter.silhouette(figure.shape, { x: x + towardsSun, y: y - 0.002, size, colour: rim, flip });
  painter.silhouette(figure.shape, { x, y, size, colour, flip });
  if (figure.shape === 'lighthouse' && light.dark) paintBeam(stage, { x, y: y - size * 0.9, flip });
  if (!FLOCKS.has(figure.shape)) return;
  for (let at = 0; at < 5; at++) {
    const part = size * random.between(0.25, 0.6);
    const aside = x + random.between(-0.32, 0.32);
    painter.silhouette(figure.shape, {
      x: aside,
      y: y + random.between(-0.12, 0.03),
      size: part,
      colour,
      flip,
    });
  }
}

/** Close by and against the light: dark by day as by night, warmer where the words name a colour; pale in deep water and space. */
function figureColour({ light }: Stage, figure: FigureWord, random: SeededRandom): number {
  if (figure.shape === 'ghost') return blend(0xffffff, light.haze, 0.25);
  if (figure.shape === 'dove' || figure.shape === 'sheep') return blend(0xf6f4ee, light.haze, 0.3);
  if (figure.shape === 'tulip' || figure.shape === 'mushroom') return blend(light.leaf, 0xe0405a, 0.6);
  if (figure.habitat === 'space') return blend(0xe8ecf4, light.sky[2] ?? 0, 0.2);
  if (figure.habitat === 'deep') return lighten(blend(0x0a2236, light.leaf, random.between(0, 0.3)), 0);
  if (figure.habitat === 'air' && figure.shape === 'balloon') return blend(light.leaf, 0xd8433a, 0.7);
  return lighten(light.near, random.between(-0.5, 0));
}

function paintBeam({ painter, light, plan }: Stage, lamp: { x: number; y: number; flip: boolean }): void {
  const side = lamp.flip ? 1 : -1;
  painter.polygon(
    [lamp.x, lamp.y, lamp.x + side * 1.2, lamp.y - 0.16, lamp.x + side * 1.2, lamp.y + 0.1],
    blend(light.sky[2] ?? 0, light.body, 0.4 + plan.strength * 0.1),
  );
}
