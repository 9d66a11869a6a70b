import { cosine, sine } from '../speech/exact-math.ts';
import { GRANULE, LOOKED_BACK, SLOTS, SUBBANDS, SubbandFilter } from './subband-filter.ts';

/** In hertz: what lies above nobody hears. */
const HEARD = 20_000;

/** The first so many values of a spectrum are coded. */
export function codedValues(sampleRate: number): number {
  return SLOTS * Math.min(SUBBANDS, Math.ceil((HEARD * 2 * SUBBANDS) / sampleRate));
}

/** How much each pair of neighbours across the edge of two subbands has of the other, and of itself. */
const PARTS = [-0.6, -0.535, -0.33, -0.185, -0.095, -0.041, -0.0142, -0.0037];
const OWN = Float64Array.from(PARTS, (part) => 1 / Math.sqrt(1 + part * part));
const OTHER = OWN.map((own, at) => own * (PARTS[at] as number));

/** Makes the sound of one channel into spectra, one after the other, by long windows. */
export class GranuleSpectrum {
  readonly #filter = new SubbandFilter();
  readonly #windows = new WindowTransform();
  /** The sound that the filter looks at; new sound stands behind `LOOKED_BACK`. */
  readonly samples = new Float64Array(LOOKED_BACK + GRANULE);
  #before = new Float64Array(GRANULE);
  #now = new Float64Array(GRANULE);
  readonly #size: number;

  /** Whose first `size` values are made. */
  constructor(size: number) {
    this.#size = size;
  }

  /** Of the sound in `samples`, which is moved to where the next finds it. */
  next(spectrum: Float64Array): void {
    this.#filter.split(this.samples, LOOKED_BACK, this.#now);
    this.samples.copyWithin(0, GRANULE);
    for (let at = 0; at < this.#size; at += SLOTS) this.#windows.apply(this.#before, this.#now, spectrum, at);
    for (let edge = SLOTS; edge < this.#size; edge += SLOTS) blendEdge(spectrum, edge);
    [this.#before, this.#now] = [this.#now, this.#before];
  }
}

function blendEdge(spectrum: Float64Array, edge: number): void {
  for (let i = 0; i < 8; i++) {
    const below = spectrum[edge - 1 - i] as number;
    const above = spectrum[edge + i] as number;
    spectrum[edge - 1 - i] = below * (OWN[i] as number) + above * (OTHER[i] as number);
    spectrum[edge + i] = above * (OWN[i] as number) - below * (OTHER[i] as number);
  }
}

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
class WindowTransform {
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
