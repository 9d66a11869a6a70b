import { cosine, sine } from '../speech/exact-math.ts';
import { SLOTS } from './subband-filter.ts';

const HALF = SLOTS / 2;
/** What the standard's transform is divided by. */
const SCALE = 1 / 9;

/** Of the window and the first step of the transform behind it: what 36 samples are multiplied by, in the order in which they are taken. */
const WEIGHTS = Float64Array.from({ length: 4 * HALF }, (_, at) => {
  const quarter = Math.floor(at / HALF);
  const n = at % HALF;
  const place = [26 - n, 27 + n, n, 17 - n][quarter] ?? 0;
  const turned = 2 * cosine((2 * (quarter < 2 ? n : n + HALF) + 1) / (8 * SLOTS));
  return (quarter === 2 ? SCALE : -SCALE) * turned * sine((place + 0.5) / (4 * SLOTS));
});
const TURNS = Float64Array.from({ length: HALF }, (_, n) => 2 * cosine((2 * n + 1) / (8 * HALF)));
const ninth = (parts: number) => cosine(parts / 18);
const [N1, N2, N4] = [ninth(1), ninth(2), ninth(4)] as const;
const [E1, E3, E5, E7] = [ninth(0.5), ninth(1.5), ninth(2.5), ninth(3.5)] as const;

/** Makes windows of a subband, half of whose 36 samples are new, into 18 values each. */
export class WindowTransform {
  readonly #sums = new Float64Array(HALF);
  readonly #differences = new Float64Array(HALF);

  /** From place `at` on in all three. A value is half of what the next but one transform has of it, less the value before. */
  apply(before: Float64Array, now: Float64Array, spectrum: Float64Array, at: number): void {
    const sums = this.#sums;
    const differences = this.#differences;
    for (let n = 0; n < HALF; n++) {
      const first =
        (WEIGHTS[n] as number) * (now[at + 8 - n] as number) +
        (WEIGHTS[HALF + n] as number) * (now[at + 9 + n] as number);
      const k = HALF - 1 - n;
      const last =
        (WEIGHTS[2 * HALF + k] as number) * (before[at + k] as number) +
        (WEIGHTS[3 * HALF + k] as number) * (before[at + 17 - k] as number);
      sums[n] = first + last;
      differences[n] = (first - last) * (TURNS[n] as number);
    }
    transformNine(sums);
    transformNine(differences);
    let odd = 0.5 * (differences[0] as number);
    let value = 0.5 * (sums[0] as number);
    spectrum[at] = value;
    for (let k = 0; ; k++) {
      value = odd - value;
      spectrum[at + 2 * k + 1] = value;
      if (k === HALF - 1) return;
      odd = (differences[k + 1] as number) - odd;
      value = (sums[k + 1] as number) - value;
      spectrum[at + 2 * k + 2] = value;
    }
  }
}

/** In place: the k-th of nine values becomes the sum of the n-th times cos((2n+1)kπ/18). */
function transformNine(v: Float64Array): void {
  const v0 = v[0] as number;
  const v1 = v[1] as number;
  const v2 = v[2] as number;
  const v3 = v[3] as number;
  const v8 = v[8] as number;
  const v7 = v[7] as number;
  const v6 = v[6] as number;
  const v5 = v[5] as number;
  const v4 = v[4] as number;
  const p0 = v0 + v8;
  const p1 = v1 + v7;
  const p2 = v2 + v6;
  const p3 = v3 + v5;
  const d0 = v0 - v8;
  const d1 = v1 - v7;
  const d2 = v2 - v6;
  const d3 = v3 - v5;
  const half = 0.5 * p1;
  v[0] = p0 + p1 + p2 + p3 + v4;
  v[2] = N1 * p0 + half - N4 * p2 - N2 * p3 - v4;
  v[4] = N2 * p0 - half - N1 * p2 + N4 * p3 + v4;
  v[6] = 0.5 * (p0 + p2 + p3) - p1 - v4;
  v[8] = N4 * p0 - half + N2 * p2 - N1 * p3 + v4;
  const middle = E3 * d1;
  v[1] = E1 * d0 + middle + E5 * d2 + E7 * d3;
  v[3] = E3 * (d0 - d2 - d3);
  v[5] = E5 * d0 - middle - E7 * d2 + E1 * d3;
  v[7] = E7 * d0 - middle + E1 * d2 - E5 * d3;
}
