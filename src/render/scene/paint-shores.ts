import { blend } from '../paint/palette.ts';
import { lighten } from '../paint/rgb.ts';
import { layeredNoise, smoothNoise, wave } from '../paint/seeded-random.ts';
import { paintWater } from './paint-water.ts';
import { mirrored, type Stage, tone } from './stage.ts';

/** Open water; sometimes with a headland, sometimes with a swell close by. */
export function paintSea(stage: Stage): void {
  const { plan, light, painter } = stage;
  const random = plan.random.branch('sea');
  if (random.chance(0.5)) paintHeadland(stage, { y: plan.horizon, side: plan.focus > 0 ? -1 : 1, depth: 0.3 });
  paintWater(stage, plan.horizon, plan.weather === 'storm' ? 0 : 0.4);
  if (random.chance(0.4)) paintHeadland(stage, { y: plan.horizon + 0.06, side: plan.focus > 0 ? 1 : -1, depth: 0.7 });
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
    points.push(x, land.y - high * (1 - share * share) * (0.85 + 0.3 * layeredNoise(seed, share * 9, 3)));
  }
  points.push(land.side * (spread - reach - 0.02), land.y + 0.012);
  painter.polygon(points, tone(light, land.depth));
}

/** Sea, a curved line of foam, sand, and palms that lean over it. */
export function paintBeach(stage: Stage): void {
  const { plan, painter, light, spread } = stage;
  const random = plan.random.branch('beach');
  paintWater(stage, plan.horizon, 0.7);
  const sand = blend(tone(light, 0.8, 0xe6c88f), light.haze, 0.12);
  const side = plan.focus > 0 ? 1 : -1;
  const bend = random.between(0.16, 0.5);
  const seed = random.below(9999);
  const shore = (x: number) => plan.horizon + 0.3 - side * x * bend + smoothNoise(seed, x * 3) * 0.03;
  painter.below((x) => shore(x) - 0.016, [lighten(sand, 0.55)], 1);
  painter.below(shore, [lighten(sand, -0.18), sand, lighten(sand, 0.1)], 0.16);
  const palms = 1 + random.below(4);
  for (let palm = 0; palm < palms; palm++) {
    const x = side * spread * random.between(0.35, 1);
    painter.silhouette('palm', {
      x,
      y: Math.max(shore(x), plan.horizon) + 0.07,
      size: random.between(0.25, 0.5),
      colour: lighten(light.near, palm * 0.04),
      flip: side > 0,
    });
  }
  if (random.chance(0.4))
    painter.silhouette('umbrella', {
      x: -side * spread * 0.2,
      y: 0.8,
      size: 0.14,
      colour: blend(light.leaf, 0xe8503a, 0.7),
    });
}

/** A mound with palms in the middle of the sea. */
export function paintIsland(stage: Stage): void {
  const { plan, painter, light, spread } = stage;
  const random = plan.random.branch('island');
  paintWater(stage, plan.horizon, 0.5);
  const isles = 1 + random.below(3);
  for (let isle = 0; isle < isles; isle++) {
    const near = isle / isles;
    const x = (isle % 2 === 0 ? 1 : -1) * plan.focus * spread * random.between(0.3, 0.9);
    const y = plan.horizon + 0.03 + near * 0.2;
    const half = random.between(0.12, 0.3) * (0.6 + near);
    const high = half * random.between(0.25, 0.7);
    const seed = random.below(9999);
    mound(painter, { x, y: y + 0.012, half: half * 1.15, high: high * 0.2, seed }, tone(light, 0.7, 0xe8cf98));
    mound(painter, { x, y, half, high, seed }, tone(light, 0.55 + near * 0.4));
    for (let palm = 0; palm < 2 + random.below(4); palm++) {
      const at = x + random.between(-0.6, 0.6) * half;
      painter.silhouette('palm', {
        x: at,
        y: y - high * 0.25,
        size: half * random.between(0.5, 1),
        colour: tone(light, 1),
        flip: random.chance(0.5),
      });
    }
  }
}

function mound(
  painter: Stage['painter'],
  mound: { x: number; y: number; half: number; high: number; seed: number },
  colour: number,
): void {
  const points: number[] = [];
  for (let step = 0; step <= 30; step++) {
    const across = step / 15 - 1;
    const arch = (1 - across * across) * (0.85 + 0.25 * layeredNoise(mound.seed, across * 4, 3));
    points.push(mound.x + across * mound.half, mound.y - mound.high * arch);
  }
  painter.polygon(points, colour);
}
