import { cosine } from '../speech/exact-math.ts';

const SIZE = 32;

/** At half of a size and on: what the transform of the odd values is multiplied by. */
const SCALES = Float64Array.from({ length: SIZE }, (_, at) => {
  const half = at > 0 ? 1 << (31 - Math.clz32(at)) : 1;
  return 0.5 / cosine((2 * (at - half) + 1) / (8 * half));
});
const [, TWO = 0, FOUR_0 = 0, FOUR_1 = 0, EIGHT_0 = 0, EIGHT_1 = 0, EIGHT_2 = 0, EIGHT_3 = 0] = SCALES;

/** Transforms 32 values at a time: the i-th becomes the sum of the m-th times cos((2i+1)mπ/64). */
export class CosineTransform {
  readonly #halves = new Float64Array(SIZE);

  /** In place, from `at` on: those at even places, and those at odd ones with their neighbours, are transforms of half the size. */
  apply(values: Float64Array, at: number): void {
    const halves = this.#halves;
    divide(values, at, halves, 0);
    const middle = SIZE / 2;
    quarter(halves, values, at);
    for (let part = at; part < at + SIZE; part += 8) transformEight(values, part);
    for (let half = 0; half < SIZE; half += middle) {
      for (let k = 0; k < 8; k++) {
        const even = values[at + half + k] as number;
        const odd = (values[at + half + 8 + k] as number) * (SCALES[8 + k] as number);
        halves[half + k] = even + odd;
        halves[half + 15 - k] = even - odd;
      }
    }
    for (let k = 0; k < middle; k++) {
      const even = halves[k] as number;
      const odd = (halves[middle + k] as number) * (SCALES[middle + k] as number);
      values[at + k] = even + odd;
      values[at + SIZE - 1 - k] = even - odd;
    }
  }
}

function divide(from: Float64Array, at: number, to: Float64Array, start: number): void {
  let before = 0;
  for (let k = 0; k < SIZE / 2; k++) {
    const odd = from[at + 2 * k + 1] as number;
    to[start + k] = from[at + 2 * k] as number;
    to[start + SIZE / 2 + k] = odd + before;
    before = odd;
  }
}

/** Divides either half anew. */
function quarter(from: Float64Array, to: Float64Array, start: number): void {
  for (let half = 0; half < SIZE; half += SIZE / 2) {
    let before = 0;
    for (let k = 0; k < SIZE / 4; k++) {
      const odd = from[half + 2 * k + 1] as number;
      to[start + half + k] = from[half + 2 * k] as number;
      to[start + half + SIZE / 4 + k] = odd + before;
      before = odd;
    }
  }
}

function transformEight(v: Float64Array, at: number): void {
  const f0 = v[at] as number;
  const f1 = v[at + 1] as number;
  const f2 = v[at + 2] as number;
  const f3 = v[at + 3] as number;
  const f4 = v[at + 4] as number;
  const f5 = v[at + 5] as number;
  const f6 = v[at + 6] as number;
  const f7 = v[at + 7] as number;
  const even = f4 * TWO;
  const evenOdd = (f6 + f2) * TWO;
  const odd = (f5 + f3) * TWO;
  const oddOdd = (f7 + f5 + f3 + f1) * TWO;
  const first = f3 + f1;
  const e = (f2 + evenOdd) * FOUR_0;
  const g = (f2 - evenOdd) * FOUR_1;
  const o = (first + oddOdd) * FOUR_0;
  const p = (first - oddOdd) * FOUR_1;
  const o0 = (f1 + odd + o) * EIGHT_0;
  const o1 = (f1 - odd + p) * EIGHT_1;
  const o2 = (f1 - odd - p) * EIGHT_2;
  const o3 = (f1 + odd - o) * EIGHT_3;
  v[at] = f0 + even + e + o0;
  v[at + 7] = f0 + even + e - o0;
  v[at + 1] = f0 - even + g + o1;
  v[at + 6] = f0 - even + g - o1;
  v[at + 2] = f0 - even - g + o2;
  v[at + 5] = f0 - even - g - o2;
  v[at + 3] = f0 + even - e + o3;
  v[at + 4] = f0 + even - e - o3;
}
