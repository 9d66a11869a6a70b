import { blend, lighten } from '../paint/rgb.ts';
import { layeredNoise } from '../paint/seeded-random.ts';
import { eachSlot, type Stage } from './stage.ts';

const WEATHERS: Record<string, (stage: Stage) => void> = {
  rain: paintRain,
  storm: paintRain,
  snow: paintSnow,
  fog: paintFog,
};

/** What falls or drifts in front of everything. */
export function paintWeather(stage: Stage): void {
  WEATHERS[stage.plan.weather]?.(stage);
}

function paintRain(stage: Stage): void {
  const { painter, light, plan } = stage;
  const colour = blend(light.haze, 0xffffff, light.dark ? 0.3 : 0.5);
  eachSlot(stage, { name: 'rain', step: 0.04, reach: 0.1 }, (slot, random) => {
    for (let drop = 0; drop < 9; drop++) {
      const [x, y, long] = [slot + random.next() * 0.04, random.between(-0.2, 1), random.between(0.02, 0.055)];
      const foot = x + plan.focus * long * 0.3;
      painter.polygon([x, y, x + 0.0018, y, foot + 0.0018, y + long, foot, y + long], colour, 0.7);
    }
  });
}

function paintSnow(stage: Stage): void {
  eachSlot(stage, { name: 'snow', step: 0.05, reach: 0.05 }, (slot, random) => {
    for (let flake = 0; flake < 8; flake++) {
      const size = random.chance(0.1) ? 0.007 : random.between(0.0015, 0.0045);
      stage.painter.disc(slot + random.next() * 0.05, random.between(-0.2, 1), size, 0xf4f8fc);
    }
  });
}

/** Banks of mist with a wavy rim. */
function paintFog({ painter, plan, light }: Stage): void {
  const random = plan.random.branch('fog');
  const mist = lighten(light.haze, 0.18);
  for (let bank = 0; bank < 4; bank++) {
    const [seed, y] = [random.below(9999), plan.horizon - 0.08 + bank * 0.1];
    const points: number[] = [painter.right + 0.1, y + 0.1, painter.left - 0.1, y + 0.1];
    for (let x = painter.left - 0.1; x < painter.right + 0.1; x += 0.02) {
      points.push(x, y + layeredNoise(seed, x * 2, 2) * 0.03);
    }
    painter.polygon(points, mist, 0.4);
  }
}
