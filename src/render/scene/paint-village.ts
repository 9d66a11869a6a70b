import { blend } from '../paint/palette.ts';
import { lighten } from '../paint/rgb.ts';
import type { SeededRandom } from '../paint/seeded-random.ts';
import { paintGrove, paintRidge } from './paint-grove.ts';
import { deepening, type Stage, tone } from './stage.ts';

/** A cluster of houses on a slope, windows lit when it is dark, smoke over the roofs. */
export function paintVillage(stage: Stage): void {
  const { plan, painter, light, spread } = stage;
  const random = plan.random.branch('village');
  paintRidge(stage, {
    name: 'behind',
    y: plan.horizon + 0.04,
    rise: 0.26,
    swing: 1.3,
    rough: 3,
    depth: 0.3,
  });
  const line = paintRidge(stage, {
    name: 'slope',
    y: plan.horizon + 0.16,
    rise: 0.14,
    swing: 1,
    rough: 2,
    depth: 0.65,
  });
  paintGrove(stage, {
    name: 'yard',
    line,
    depth: 0.6,
    share: 0.4,
    size: 0.09,
    shapes: ['round', 'pine'],
  });
  const houses = 4 + random.below(6);
  for (let at = 0; at < houses; at++) {
    const x = plan.focus * spread * 0.35 + random.between(-0.36, 0.36);
    paintHouse(stage, {
      x,
      y: line(x) + 0.03 + at * 0.012,
      size: random.between(0.07, 0.13),
      random,
    });
  }
  if (random.chance(0.5)) {
    const x = plan.focus * spread * 0.4;
    painter.silhouette('church', {
      x,
      y: line(x) + 0.04,
      size: 0.24,
      colour: tone(light, 0.85, 0x6a5a58),
    });
  }
  paintRidge(stage, {
    name: 'green',
    y: plan.horizon + 0.32,
    rise: 0.08,
    swing: 1.6,
    rough: 2,
    depth: 0.95,
  });
}

function paintHouse(
  { painter, light }: Stage,
  house: { x: number; y: number; size: number; random: SeededRandom },
): void {
  const { x, y, size, random } = house;
  const wall = tone(light, 0.8, random.pick([0xe7d7bd, 0xc98d66, 0xb9c3c9, 0xd9b98a]));
  const roof = tone(light, 0.95, random.pick([0x8e3b2f, 0x5a3a3a, 0x3d4a5a]));
  painter.box(x - size / 2, y - size * 0.55, [size, size * 0.6], wall);
  painter.polygon([x - size * 0.62, y - size * 0.52, x, y - size, x + size * 0.62, y - size * 0.52], roof);
  painter.box(x + size * 0.2, y - size * 1.02, [size * 0.13, size * 0.3], roof);
  const glass = light.dark ? 0xffd27a : blend(wall, light.near, 0.6);
  for (const side of [-0.3, 0.1]) painter.box(x + side * size, y - size * 0.36, [size * 0.2, size * 0.2], glass);
}

/** A road that runs to the horizon between fields or firs. */
export function paintRoad(stage: Stage): void {
  const { plan, painter, light } = stage;
  const random = plan.random.branch('road');
  paintRidge(stage, {
    name: 'range',
    y: plan.horizon + 0.02,
    rise: random.between(0.1, 0.3),
    swing: 1.8,
    rough: 4,
    depth: 0.3,
  });
  const field = tone(light, 0.75);
  painter.below(() => plan.horizon + 0.02, deepening(field), 0.5);
  const end = plan.focus * 0.25;
  const bend = random.between(-0.5, 0.5);
  const middle = (t: number) => end + bend * (t * (1 - t)) + (t * t * -end) / 2;
  const rail = random.chance(0.3);
  const asphalt = tone(light, 0.95, rail ? 0x6b5a4c : 0x474a52);
  const strip = (from: number, to: number, colour: number) => {
    const points: number[] = [];
    for (let step = 0; step <= 16; step++)
      points.push(
        middle(step / 16) + from * (step / 16) * (step / 16 + 0.02),
        plan.horizon + 0.02 + (step / 16) * (1.05 - plan.horizon),
      );
    for (let step = 16; step >= 0; step--)
      points.push(
        middle(step / 16) + to * (step / 16) * (step / 16 + 0.02),
        plan.horizon + 0.02 + (step / 16) * (1.05 - plan.horizon),
      );
    painter.polygon(points, colour);
  };
  strip(-0.42, 0.42, asphalt);
  for (const side of rail ? [-0.2, 0.2] : [-0.4, 0.38]) strip(side, side + 0.02, lighten(asphalt, 0.4));
  for (let mark = 0; mark < 9 && !rail; mark++) {
    const near = (mark + 1) / 10;
    const y = plan.horizon + 0.02 + near * near * 0.5;
    painter.polygon(
      [
        middle(near) - 0.004 * near,
        y,
        middle(near) + 0.004 * near,
        y,
        middle(near) + 0.014 * near,
        y + 0.05 * near,
        middle(near) - 0.014 * near,
        y + 0.05 * near,
      ],
      lighten(asphalt, 0.6),
    );
  }
  plantPosts(stage, end, rail ? 'pine-tall' : 'pine');
}

/** Trees on both sides, from where the road ends to the viewer. */
function plantPosts({ plan, painter, light }: Stage, end: number, shape: 'pine-tall' | 'pine'): void {
  for (let post = 0; post < 7; post++) {
    const near = ((post + 1) / 8) * ((post + 1) / 8);
    const y = plan.horizon + 0.03 + near * 0.4;
    for (const side of [-1, 1])
      painter.silhouette(shape, {
        x: end * (1 - near) + side * (0.06 + near * 0.62),
        y,
        size: 0.04 + near * 0.4,
        colour: tone(light, 0.4 + near * 0.6, light.leaf),
      });
  }
}
