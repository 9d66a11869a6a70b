import type { Stereo } from './score.ts';

/** Mean square of a K-weighted signal at −14 LUFS. */
const TARGET_MEAN_SQUARE = 0.04667;
/** Parts over 10 LU below the whole do not count. */
const GATE = 0.1;

/** A stretch of sound and how often it is heard. */
export interface Heard {
  /** Weighted mean square, both channels added. */
  meanSquare: number;
  samples: number;
}

/** The factor that brings the whole to −14 LUFS (ITU-R BS.1770, gated by bars instead of by blocks of 400 ms). */
export function gainToTarget(heard: Heard[]): number {
  const whole = meanOf(heard);
  const counted = heard.filter(({ meanSquare }) => meanSquare >= whole * GATE);
  const mean = meanOf(counted);
  return mean > 0 ? Math.sqrt(TARGET_MEAN_SQUARE / mean) : 1;
}

function meanOf(heard: Heard[]): number {
  const samples = heard.reduce((sum, part) => sum + part.samples, 0);
  const energy = heard.reduce((sum, part) => sum + part.meanSquare * part.samples, 0);
  return samples === 0 ? 0 : energy / samples;
}

/** Weighted mean squares of the stretches of `size` samples that a sound consists of. */
export function weightedMeanSquares({ left, right }: Stereo, size: number): number[] {
  const means: number[] = [];
  const [onLeft, onRight] = [new Float64Array(4), new Float64Array(4)];
  for (let from = 0; from < left.length; from += size) {
    const end = Math.min(left.length, from + size);
    means.push(weighted([left, right], [from, end], [onLeft, onRight]) / size);
  }
  return means;
}

/**
 * The two filters of BS.1770 at 48 kHz, the head's shelf, then the high pass, over both channels in one go: a processor
 * is at one channel while it still adds up in the other. Goes on from the `states` and leaves them for the next stretch.
 */
function weighted(
  [left, right]: readonly [Float32Array, Float32Array],
  [from, end]: readonly [number, number],
  states: readonly [Float64Array, Float64Array],
): number {
  let [a1 = 0, a2 = 0, b1 = 0, b2 = 0] = states[0];
  let [c1 = 0, c2 = 0, d1 = 0, d2 = 0] = states[1];
  let [leftSum, rightSum] = [0, 0];
  for (let i = from; i < end; i++) {
    const a = (left[i] as number) + 1.69065929318241 * a1 - 0.73248077421585 * a2;
    const c = (right[i] as number) + 1.69065929318241 * c1 - 0.73248077421585 * c2;
    const shelf = 1.53512485958697 * a - 2.69169618940638 * a1 + 1.19839281085285 * a2;
    const otherShelf = 1.53512485958697 * c - 2.69169618940638 * c1 + 1.19839281085285 * c2;
    [a2, a1, c2, c1] = [a1, a, c1, c];
    const b = shelf + 1.99004745483398 * b1 - 0.99007225036621 * b2;
    const d = otherShelf + 1.99004745483398 * d1 - 0.99007225036621 * d2;
    const heard = b - 2 * b1 + b2;
    const otherHeard = d - 2 * d1 + d2;
    [b2, b1, d2, d1] = [b1, b, d1, d];
    leftSum += heard * heard;
    rightSum += otherHeard * otherHeard;
  }
  states[0].set([a1, a2, b1, b2]);
  states[1].set([c1, c2, d1, d2]);
  return leftSum + rightSum;
}

const KNEE = 0.5;
const CEILING = 0.84;

/** A sample that never reaches full scale: straight up to the knee, bent beyond it. */
export function limit(sample: number): number {
  const size = Math.abs(sample);
  if (size <= KNEE) return sample;
  const over = (size - KNEE) / (CEILING - KNEE);
  const bent = KNEE + ((CEILING - KNEE) * over) / (1 + over);
  return sample < 0 ? -bent : bent;
}
