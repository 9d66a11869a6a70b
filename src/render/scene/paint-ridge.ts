import { layeredNoise } from '../paint/seeded-random.ts';
import { deepening, fading, type Stage, tone } from './stage.ts';

/** A wavy rim across the whole picture. */
export function paintRidge(
  stage: Stage,
  ridge: { name: string; y: number; rise: number; swing: number; rough: number; depth: number },
): (x: number) => number {
  const { painter, light, plan } = stage;
  const seed = plan.random.branch(ridge.name).below(1 << 30);
  const line = (x: number) => ridge.y - ridge.rise * (0.5 + layeredNoise(seed, x * ridge.swing, ridge.rough));
  const colour = tone(light, ridge.depth);
  const shades = ridge.depth > 0.8 ? deepening(colour) : fading(light, colour, 5, 0.5 * (1 - ridge.depth));
  painter.below(line, shades, ridge.rise + 0.25);
  return line;
}
