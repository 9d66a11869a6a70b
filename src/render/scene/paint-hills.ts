import { paintGrove } from './paint-grove.ts';
import { paintRidge } from './paint-ridge.ts';
import type { Stage } from './stage.ts';

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
