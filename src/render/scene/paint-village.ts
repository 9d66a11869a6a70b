import { blend } from '../paint/palette.ts';
import type { SeededRandom } from '../paint/seeded-random.ts';
import { paintGrove } from './paint-grove.ts';
import { paintRidge } from './paint-ridge.ts';
import { type Stage, tone } from './stage.ts';

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
