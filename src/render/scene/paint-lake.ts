import { blend } from '../paint/palette.ts';
import { lighten } from '../paint/rgb.ts';
import { layeredNoise } from '../paint/seeded-random.ts';
import { paintGrove, paintRidge } from './paint-grove.ts';
import { dash, paintWater } from './paint-water.ts';
import { eachSlot, type Stage, tone } from './stage.ts';

/** Still water among hills, which stand in it upside down. */
export function paintLake(stage: Stage): void {
  const { plan, painter, light } = stage;
  const random = plan.random.branch('lake');
  const shore = plan.horizon + 0.06;
  const seeds = [random.below(9999), random.below(9999), random.below(9999)];
  const rough = random.between(1, 3.5);
  const rise = random.between(0.14, 0.34);
  paintWater(stage, shore, 0.9);
  for (const [at, seed] of seeds.entries()) {
    const depth = 0.2 + at * 0.25;
    const high = (x: number) => rise * (1 - at * 0.28) * (0.5 + layeredNoise(seed, x * rough, 4));
    const colour = tone(light, depth);
    const water = blend(colour, light.sky[2] ?? 0, 0.45);
    const reach = (x: number) => Math.max(0.004, high(x));
    outline(painter, { shore, reach: (x) => 0.7 * reach(x), up: 1, colour: water });
    outline(painter, { shore, reach, up: -1, colour });
  }
  for (let row = 0; row < 22; row++) {
    const y = shore + 0.012 + (row / 22) * (row / 22) * 0.3;
    const own = plan.random.branch(`still${row}`);
    const colour = blend(light.sky[3] ?? 0, light.haze, 0.4);
    dash(stage, {
      x: own.between(-0.7, 0.7),
      y,
      width: own.between(0.1, 0.5),
      thick: 0.002 + row * 0.0002,
      colour,
    });
  }
  const bank = paintRidge(stage, {
    name: 'bank',
    y: 0.93,
    rise: 0.07,
    swing: 2,
    rough: 3,
    depth: 1,
  });
  paintGrove(stage, {
    name: 'reeds',
    line: bank,
    depth: 1,
    share: 0.4,
    size: random.between(0.06, 0.22),
    shapes: [random.pick(['pine', 'tree', 'round'])],
  });
}

function outline(
  painter: Stage['painter'],
  hill: { shore: number; reach: (x: number) => number; up: number; colour: number },
): void {
  const points = [painter.left - 0.1, hill.shore];
  const step = 0.012;
  for (let x = painter.left - 0.1; x < painter.right + 0.1; x += step)
    points.push(x, hill.shore + hill.up * hill.reach(x));
  points.push(painter.right + 0.1, hill.shore);
  painter.polygon(points, hill.colour);
}

/** Floes and towers of ice under bands of polar light. */
export function paintArctic(stage: Stage): void {
  const { plan, painter, light } = stage;
  const random = plan.random.branch('arctic');
  paintWater(stage, plan.horizon, 0.8);
  const ice = lighten(blend(light.sky[3] ?? 0, 0xd8ecf8, 0.6), light.dark ? -0.3 : 0.1);
  for (let berg = 0; berg < 5; berg++) {
    const near = berg / 5;
    const x = random.between(-0.8, 0.8);
    const y = plan.horizon + 0.02 + near * near * 0.34;
    const half = random.between(0.06, 0.16) * (0.7 + near);
    const high = half * random.between(0.4, 1.6);
    const lean = random.between(-0.4, 0.4) * half;
    const shade = blend(ice, light.sky[1] ?? 0, 0.35 - near * 0.15);
    painter.polygon(
      [x - half, y, x - half * 0.7, y - high * 0.5, x + lean, y - high, x + half * 0.6, y - high * 0.55, x + half, y],
      ice,
    );
    painter.polygon(
      [
        x + lean,
        y - high,
        x + half * 0.6,
        y - high * 0.55,
        x + half,
        y,
        x + lean * 0.4,
        y,
        x + lean * 0.7,
        y - high * 0.4,
      ],
      shade,
    );
    dash(stage, {
      x,
      y: y + 0.006,
      width: half * 2.6,
      thick: 0.012,
      colour: blend(ice, light.sky[2] ?? 0, 0.5),
    });
  }
  if (random.chance(0.7))
    painter.below((x) => 0.86 + layeredNoise(7, x * 2, 2) * 0.03, [ice, blend(ice, light.sky[1] ?? 0, 0.2)], 0.1);
  eachSlot(stage, { name: 'crack', step: 0.3, reach: 0.2 }, (x, own) => {
    if (own.chance(0.3))
      painter.silhouette('penguin', {
        x,
        y: 0.88,
        size: own.between(0.05, 0.09),
        colour: light.near,
      });
  });
}
