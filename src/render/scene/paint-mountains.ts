import { blend } from '../paint/palette.ts';
import { lighten } from '../paint/rgb.ts';
import { layeredNoise, smoothNoise } from '../paint/seeded-random.ts';
import { paintGrove, paintRidge } from './paint-grove.ts';
import { sunPlace } from './paint-sky.ts';
import { eachSlot, type Stage, tone } from './stage.ts';

/** Three ranges of peaks with a lit and a shaded side, foothills and pines before them. */
export function paintMountains(stage: Stage): void {
  const { plan } = stage;
  const random = plan.random.branch('mountains');
  const tall = random.between(0.22, 0.42);
  const snow = plan.season === 'winter' ? 0.65 : random.between(0.15, 0.42);
  paintRange(stage, { name: 'far', step: 0.26, tall: tall * 0.75, depth: 0.22, snow });
  paintRange(stage, { name: 'mid', step: random.between(0.28, 0.5), tall, depth: 0.45, snow });
  paintRidge(stage, {
    name: 'foothill',
    y: plan.horizon + 0.12,
    rise: 0.1,
    swing: 3,
    rough: 3,
    depth: 0.7,
  });
  const line = paintRidge(stage, {
    name: 'front',
    y: plan.horizon + 0.26,
    rise: 0.12,
    swing: 1.6,
    rough: 2,
    depth: 0.92,
  });
  paintGrove(stage, {
    name: 'pines',
    line,
    depth: 1,
    share: random.between(0.3, 0.95),
    size: 0.1,
    shapes: ['pine-tall', 'pine'],
  });
}

function paintRange(
  stage: Stage,
  range: { name: string; step: number; tall: number; depth: number; snow: number },
): void {
  const { plan, painter, light } = stage;
  const foot = plan.horizon + 0.08;
  const hue = blend(light.land, 0x5b6478, 0.7);
  const lit = lighten(tone(light, range.depth, hue), light.dark ? 0.05 : 0.14);
  const shaded = tone(light, range.depth, blend(hue, light.near, 0.3));
  const white = blend(lighten(light.sky[3] ?? 0, light.dark ? 0.1 : 0.7), light.haze, 0.3 - range.depth * 0.3);
  const sunny = sunPlace(stage).x > 0 ? 1 : -1;
  eachSlot(stage, { name: range.name, step: range.step, reach: 0.8 }, (slot, random) => {
    const x = slot + random.between(-0.3, 0.3) * range.step;
    const height = range.tall * random.between(0.5, 1.1);
    const peak = {
      x,
      top: foot - height,
      foot,
      half: height * random.between(0.7, 1.15),
      seed: random.below(99999),
      sunny,
    };
    painter.polygon(flank(peak, -1, 1), shaded);
    painter.polygon(flank(peak, 0, sunny), lit);
    if (range.snow > 0) paintCap(painter, peak, { white, grey: blend(white, shaded, 0.4), share: range.snow });
  });
  paintRidge(stage, {
    name: `${range.name}foot`,
    y: foot + 0.02,
    rise: 0.04,
    swing: 4,
    rough: 2,
    depth: range.depth + 0.12,
  });
}

interface Peak {
  x: number;
  top: number;
  foot: number;
  half: number;
  seed: number;
  sunny: number;
}

/** The outline from one side (0 is the meandering ridge in the middle) over the top to the other. */
function flank(peak: Peak, from: number, to: number): number[] {
  const points: number[] = [];
  const steps = 14;
  const edge = (side: number, down: number) => {
    const jag = layeredNoise(peak.seed + (side + 2) * 31, down * 6, 2) * 0.13 * peak.half;
    const across = side === 0 ? -0.25 * peak.sunny * down * peak.half : side * down * peak.half;
    points.push(peak.x + across + jag * Math.min(1, down * 3), peak.top + (peak.foot - peak.top) * down);
  };
  for (let step = steps; step >= 0; step--) edge(from, step / steps);
  for (let step = 1; step <= steps; step++) edge(to, step / steps);
  return points;
}

function paintCap(painter: Stage['painter'], peak: Peak, cap: { white: number; grey: number; share: number }): void {
  const height = (peak.foot - peak.top) * cap.share;
  for (const [side, colour] of [
    [-peak.sunny, cap.grey],
    [peak.sunny, cap.white],
  ] as const) {
    const points = [peak.x, peak.top];
    for (let step = 0; step <= 6; step++) {
      const out = (1 - step / 6) * side * peak.half * cap.share * 0.92;
      const drip = (step % 2 === 0 ? 1 : 0.62) * height * (0.9 + 0.2 * smoothNoise(peak.seed, step * 1.7));
      points.push(peak.x + out, peak.top + drip * (0.6 + 0.4 * (1 - step / 6)));
    }
    painter.polygon(points, colour);
  }
}

/** Soft hills one behind the other, with groves, and a path that leads to the eye's point. */
export function paintHills(stage: Stage): void {
  const { plan } = stage;
  const random = plan.random.branch('hills');
  const rows = 4 + random.below(2);
  const [rise, swing] = [random.between(0.06, 0.2), random.between(0.9, 2.4)];
  for (let row = 0; row < rows; row++) {
    const depth = (row + 1) / rows;
    const line = paintRidge(stage, {
      ...{
        name: `hill${row}`,
        y: plan.horizon + 0.04 + depth * depth * 0.36,
        rise: rise * (0.7 + depth * 0.6),
      },
      ...{ swing: swing * (1.4 - depth * 0.6), rough: 2, depth: depth * 0.95 },
    });
    const share = random.between(0, 0.55);
    paintGrove(stage, {
      name: `grove${row}`,
      line,
      depth,
      share,
      size: 0.03 + depth * 0.08,
      shapes: ['round', 'round', 'pine'],
    });
  }
}
