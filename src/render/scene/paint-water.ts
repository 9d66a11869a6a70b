import { blend } from '../paint/palette.ts';
import { lighten } from '../paint/rgb.ts';
import { layeredNoise, smoothNoise, wave } from '../paint/smooth-noise.ts';
import { paintGrove } from './paint-growth.ts';
import { paintRidge } from './paint-ridge.ts';
import { sunPlace } from './paint-sky.ts';
import { mirrored, type Stage, tone } from './stage.ts';

const SHADES = 26;

/** Water from `y` down: the sky given back, a path of light under the sun, ripples that grow towards the viewer. */
export function paintWater(stage: Stage, y: number, calm = 0.4): void {
  const { painter, light } = stage;
  painter.below(() => y, mirrored(light, SHADES), 1.02 - y);
  const bright = blend(light.sky[3] ?? 0, light.body, 0.5);
  const deep = lighten(light.sky[0] ?? 0, -0.25);
  const sun = sunPlace(stage);
  const rows = 54;
  for (let row = 0; row < rows; row++) {
    const near = row / rows;
    const level = y + 0.004 + near * near * (1.02 - y);
    const thick = 0.0012 + near * 0.005;
    const random = stage.plan.random.branch(`ripple${row}`);
    const width = sun.size * (0.7 + near * 2.2) * random.between(0.3, 1.1);
    if (stage.plan.weather !== 'storm')
      dash(stage, {
        x: sun.x + random.between(-0.4, 0.4) * sun.size,
        y: level,
        width,
        thick,
        colour: bright,
      });
    const count = Math.round((1 - near * 0.7) * 7 * (1.2 - calm));
    const reach = painter.right - painter.left + 0.4;
    for (let at = 0; at < count; at++) {
      const x = -reach / 2 + random.next() * reach;
      const shade = blend(random.chance(0.5) ? bright : deep, light.sky[2] ?? 0, 0.62);
      dash(stage, {
        x,
        y: level,
        width: (0.02 + near * 0.12) * random.next(),
        thick: thick * 0.8,
        colour: shade,
      });
    }
  }
}

export function dash(
  { painter }: Stage,
  line: { x: number; y: number; width: number; thick: number; colour: number },
): void {
  const half = line.width / 2;
  painter.polygon(
    [
      line.x - half,
      line.y,
      line.x,
      line.y - line.thick / 2,
      line.x + half,
      line.y,
      line.x,
      line.y + line.thick / 2,
    ],
    line.colour,
  );
}

/** Open water; sometimes with a headland, sometimes with a swell close by. */
export function paintSea(stage: Stage): void {
  const { plan, light, painter } = stage;
  const random = plan.random.branch('sea');
  if (random.chance(0.5))
    paintHeadland(stage, { y: plan.horizon, side: plan.focus > 0 ? -1 : 1, depth: 0.3 });
  paintWater(stage, plan.horizon, plan.weather === 'storm' ? 0 : 0.4);
  if (random.chance(0.4))
    paintHeadland(stage, { y: plan.horizon + 0.06, side: plan.focus > 0 ? 1 : -1, depth: 0.7 });
  const rough = plan.weather === 'storm' || plan.weather === 'wind' ? 0.05 : 0.014;
  const swells = random.below(4) + (rough > 0.02 ? 2 : 0);
  for (let swell = 0; swell < swells; swell++) {
    const y = plan.horizon + 0.14 + (swell / swells) * 0.3;
    const seed = random.below(9999);
    const colour = lighten(mirrored(light, 8)[4 + (swell % 4)] ?? 0, -0.1 - swell * 0.05);
    const crest = (x: number) =>
      y + rough * (Math.abs(wave(x * (2.4 - swell * 0.3) + seed)) + smoothNoise(seed, x * 5) * 0.4);
    painter.below((x) => crest(x) - 0.003, [blend(colour, 0xffffff, 0.45), colour], 0.012 + rough);
    painter.below(crest, [colour, lighten(colour, -0.12)], 0.2);
  }
}

function paintHeadland(stage: Stage, land: { y: number; side: number; depth: number }): void {
  const { painter, light, spread, plan } = stage;
  const random = plan.random.branch(`headland${land.side}${land.depth}`);
  const seed = random.below(9999);
  const reach = spread * random.between(0.5, 1.1);
  const high = random.between(0.06, 0.16) * (0.6 + land.depth);
  const points: number[] = [land.side * 3, land.y + 0.012];
  points.push(land.side * 3, land.y - high);
  for (let step = 0; step <= 24; step++) {
    const share = step / 24;
    const x = land.side * (spread + 0.2 - share * (reach + 0.2));
    points.push(
      x,
      land.y - high * (1 - share * share) * (0.85 + 0.3 * layeredNoise(seed, share * 9, 3)),
    );
  }
  points.push(land.side * (spread - reach - 0.02), land.y + 0.012);
  painter.polygon(points, tone(light, land.depth));
}

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
