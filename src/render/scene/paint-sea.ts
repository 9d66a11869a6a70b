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
