import { blend } from '../paint/palette.ts';
import { lighten } from '../paint/rgb.ts';
import { layeredNoise } from '../paint/seeded-random.ts';
import { eachSlot, type Stage } from './stage.ts';

/** Banks of round heaps on a flat foot. */
export function paintClouds(stage: Stage): void {
  const { painter, light, plan } = stage;
  const heavy = { storm: 1, rain: 0.8, snow: 0.6, cloudy: 0.5, fog: 0.3 }[plan.weather] ?? 0.25;
  const dark = plan.weather === 'storm' || plan.weather === 'rain';
  const pale = dark ? lighten(light.haze, -0.35) : lighten(light.sky[3] ?? 0, light.dark ? 0.06 : 0.45);
  eachSlot(stage, { name: 'cloud', step: 0.3, reach: 0.4 }, (slot, random) => {
    for (let bank = 0; bank < 3; bank++) {
      if (!random.chance(heavy * 1.1)) continue;
      const y = plan.horizon * random.between(0.08, 0.8);
      const width = random.between(0.08, 0.3) * (0.5 + heavy);
      const colour = blend(pale, light.sky[2] ?? 0, random.between(0.1, 0.6));
      paintCloud(painter, {
        x: slot + random.between(-0.15, 0.15),
        y,
        width,
        colour,
        seed: random.below(9999),
      });
    }
  });
}

function paintCloud(
  painter: Stage['painter'],
  cloud: { x: number; y: number; width: number; colour: number; seed: number },
): void {
  const points: number[] = [];
  const steps = 36;
  for (let step = 0; step <= steps; step++) {
    const across = step / steps;
    const arch = 4 * across * (1 - across);
    const bumps = Math.abs(layeredNoise(cloud.seed, across * 5, 2));
    const y = cloud.y - cloud.width * arch * (0.1 + 0.24 * bumps);
    points.push(cloud.x + (across - 0.5) * cloud.width, y);
  }
  painter.polygon(points, cloud.colour);
}
