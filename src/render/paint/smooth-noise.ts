import { mixBits } from './seeded-random.ts';

/** A seamless wavy line: -1 to 1 for every x, with one swing per unit. */
export function smoothNoise(seed: number, x: number): number {
  const cell = Math.floor(x);
  const t = x - cell;
  const eased = t * t * (3 - 2 * t);
  const from = lattice(seed, cell);
  return from + (lattice(seed, cell + 1) - from) * eased;
}

/** Noise with finer and finer swings on top: hills with few layers, rock with many. */
export function layeredNoise(seed: number, x: number, layers: number): number {
  let [sum, weight, total, scale] = [0, 1, 0, 1];
  for (let layer = 0; layer < layers; layer++) {
    sum += smoothNoise(seed + layer * 7919, x * scale) * weight;
    total += weight;
    weight *= 0.5;
    scale *= 2.1;
  }
  return sum / total;
}

/** A fixed value, -1 to 1, for each whole number. */
export function lattice(seed: number, cell: number): number {
  return mixBits(seed ^ Math.imul(cell | 0, 0x9e3779b1)) / 2147483648 - 1;
}

/** One whole wave over 0 to 1 (a sine to three digits), from multiplications that round alike everywhere. */
export function wave(turns: number): number {
  const t = turns - Math.floor(turns);
  const half = t < 0.5 ? t : t - 0.5;
  const arch = 16 * half * (0.5 - half);
  const sine = (4 * arch) / (5 - arch);
  return t < 0.5 ? sine : -sine;
}
