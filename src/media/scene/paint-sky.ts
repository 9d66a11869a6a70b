import { blend, lighten } from '../paint/rgb.ts';
import { layeredNoise, type SeededRandom } from '../paint/seeded-random.ts';
import { eachSlot, type Stage } from './painter.ts';

const LAND = 0.3;
const STAR_STEP = 0.04;

export function paintSky(stage: Stage): void {
  const { painter, light, plan } = stage;
  const { weather, horizon } = plan;
  const sun = sunPlace(stage);
  painter.below(() => -0.6, [light.sky[0] ?? 0], 1);
  painter.below(() => 0, [...light.sky, light.sky.at(-1) ?? 0], horizon + LAND / 4);
  if (light.stars > 0) paintStars(stage, horizon);
  if (weather !== 'storm' && weather !== 'rain') paintSun(stage, sun);
  if (weather !== 'clear') paintClouds(stage);
}

export function sunPlace({ plan, light, spread }: Stage): { x: number; y: number; size: number } {
  const random = plan.random.branch('sun');
  const height = light.sun * random.between(0.75, 1.2);
  return {
    x: -plan.focus * spread * random.between(0.45, 1),
    y: plan.horizon * (1 - height),
    size: random.between(0.03, 0.07) * (light.sun < 0.2 ? 1.5 : 1),
  };
}

export function paintStars(stage: Stage, end: number): void {
  eachSlot(stage, { name: 'stars', step: STAR_STEP, reach: 0 }, (slot, random) => {
    for (let star = 0; star < 5; star++) paintStar(stage, [slot, end], random);
  });
}

function paintStar({ painter, light }: Stage, [slot, end]: [number, number], random: SeededRandom): void {
  const y = random.next() * random.next() * end;
  const [x, rank, isShown] = [slot + random.next() * STAR_STEP, random.next(), random.chance(light.stars)];
  const size = rank < 0.08 ? 0.0022 : rank < 0.35 ? 0.0014 : 0.0009;
  if (isShown) painter.disc(x, y, size, blend(light.sky[1] ?? 0, 0xffffff, rank < 0.5 ? 0.85 : 0.5));
}

function paintSun({ painter, light, plan }: Stage, { x, y, size }: ReturnType<typeof sunPlace>): void {
  painter.glow(x, y, 0.36, blend(light.sky[3] ?? 0, light.body, 0.5));
  painter.disc(x, y, size, light.body);
  if (light.stars < 0.9) return;
  const shade = blend(light.body, light.sky[1] ?? 0, 0.22);
  const random = plan.random.branch('moon');
  for (let crater = 0; crater < 5; crater++) {
    const [right, down] = [random.between(-0.6, 0.6), random.between(-0.6, 0.6)];
    painter.disc(x + right * size, y + down * size, size * random.between(0.08, 0.2), shade);
  }
}

const COVER: Record<string, number> = { storm: 1, rain: 0.8, snow: 0.6, cloudy: 0.5, fog: 0.3 };

function paintClouds(stage: Stage): void {
  const { painter, light, plan } = stage;
  const heavy = COVER[plan.weather] ?? 0.25;
  const isDark = plan.weather === 'storm' || plan.weather === 'rain';
  const pale = isDark ? lighten(light.haze, -0.35) : lighten(light.sky[3] ?? 0, light.dark ? 0.06 : 0.45);
  eachSlot(stage, { name: 'cloud', step: 0.3, reach: 0.4 }, (slot, random) => {
    for (let bank = 0; bank < 3; bank++) {
      if (!random.chance(heavy * 1.1)) continue;
      const y = plan.horizon * random.between(0.08, 0.8);
      const width = random.between(0.1, 0.34) * (0.5 + heavy);
      const colour = blend(pale, light.sky[2] ?? 0, random.between(0.1, 0.6));
      painter.polygon(cloudAt({ x: slot + random.between(-0.15, 0.15), y, width }, random), colour, 0.9);
    }
  });
}

function cloudAt({ x, y, width }: { x: number; y: number; width: number }, random: SeededRandom): number[] {
  const seed = random.below(9999);
  return Array.from({ length: 33 }, (_, step) => step / 32).flatMap((across) => {
    const arch = 4 * across * (1 - across);
    const bumps = Math.abs(layeredNoise(seed, across * 5, 2));
    return [x + (across - 0.5) * width, y - width * arch * (0.1 + 0.24 * bumps)];
  });
}

const WEATHERS: Record<string, (stage: Stage) => void> = {
  rain: paintRain,
  storm: paintRain,
  snow: paintSnow,
  fog: paintFog,
};

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
