import { CosineTransform } from './cosine-transform.ts';

export const SUBBANDS = 32;
/** Moments of a granule: each has a sample of every subband. */
export const SLOTS = 18;
/** Samples of a channel that are made into a spectrum at a time. */
export const GRANULE = SUBBANDS * SLOTS;

const TAPS = 16;
/** Samples before a granule that its first moment looks at too. */
export const LOOKED_BACK = 480;

/** The first half of Layer III's window in units of 2^-16, synthesis scale. */
const WINDOW = `
  0 -1 -1 -1 -1 -1 -1 -2 -2 -2 -2 -3 -3 -4 -4 -5 -5 -6 -7 -7 -8 -9 -10 -11 -13 -14 -16 -17 -19 -21 -24 -26
  -29 -31 -35 -38 -41 -45 -49 -53 -58 -63 -68 -73 -79 -85 -91 -97 -104 -111 -117 -125 -132 -139 -147 -154 -161 -169 -176
  -183 -190 -196 -202 -208 213 218 222 225 227 228 228 227 224 221 215 208 200 189 177 163 146 127 106 83 57 29 -2 -36 -72
  -111 -153 -197 -244 -294 -347 -401 -459 -519 -581 -645 -711 -779 -848 -919 -991 -1064 -1137 -1210 -1283 -1356 -1428
  -1498 -1567 -1634 -1698 -1759 -1817 -1870 -1919 -1962 -2001 -2032 -2057 -2075 -2085 -2087 -2080 -2063 2037 2000 1952
  1893 1822 1739 1644 1535 1414 1280 1131 970 794 605 402 185 -45 -288 -545 -814 -1095 -1388 -1692 -2006 -2330 -2663 -3004
  -3351 -3705 -4063 -4425 -4788 -5153 -5517 -5879 -6237 -6589 -6935 -7271 -7597 -7910 -8209 -8491 -8755 -8998 -9219 -9416
  -9585 -9727 -9838 -9916 -9959 -9966 -9935 -9863 -9750 -9592 -9389 -9139 -8840 -8492 -8092 -7640 -7134 6574 5959 5288
  4561 3776 2935 2037 1082 70 -998 -2122 -3300 -4533 -5818 -7154 -8540 -9975 -11455 -12980 -14548 -16155 -17799 -19478
  -21189 -22929 -24694 -26482 -28289 -30112 -31947 -33791 -35640 -37489 -39336 -41176 -43006 -44821 -46617 -48390 -50137
  -51853 -53534 -55178 -56778 -58333 -59838 -61289 -62684 -64019 -65290 -66494 -67629 -68692 -69679 -70590 -71420 -72169
  -72835 -73415 -73908 -74313 -74630 -74856 -74992 75038`;

/** Splits the sound of a channel into subbands. */
export class SubbandFilter {
  /** By output of the folded window: the taps of the two outputs of the window that are one by symmetry. */
  readonly #taps = foldedWindow();
  readonly #sums = new Float64Array(2 * SUBBANDS);
  readonly #cosines = new CosineTransform();

  /**
   * Of a granule of `samples` at `from`, before which `LOOKED_BACK` more lie, the subbands' samples: all of the first, then
   * those of the second. As the transform wants them, every other one of every other subband has its sign changed.
   */
  split(samples: Float64Array, from: number, bands: Float64Array): void {
    for (let slot = 0; slot < SLOTS; slot += 2) {
      this.#window(samples, from + (slot + 1) * SUBBANDS - 1);
      this.#put(0, slot, bands);
      this.#put(SUBBANDS, slot + 1, bands);
    }
  }

  /** Two moments at a time, the first of which ends with the sample `newest`: so each tap is read once. */
  #window(x: Float64Array, newest: number): void {
    const sums = this.#sums;
    for (let m = 0; m < SUBBANDS; m++) {
      const i = newest - 16 - m;
      const j = newest - (m <= 16 ? 16 - m : 80 - m);
      const p = m * TAPS;
      const q = m * TAPS + TAPS / 2;
      sums[m] = weigh(this.#taps, p, x, i) + weigh(this.#taps, q, x, j);
      sums[m + SUBBANDS] = weigh(this.#taps, p, x, i + SUBBANDS) + weigh(this.#taps, q, x, j + SUBBANDS);
    }
  }

  #put(at: number, slot: number, bands: Float64Array): void {
    this.#cosines.apply(this.#sums, at);
    for (let band = 0; band < SUBBANDS; band++) {
      const sample = this.#sums[at + band] as number;
      bands[band * SLOTS + slot] = band & slot & 1 ? -sample : sample;
    }
  }
}

/** The sum of eight samples, one of every 64 back from `i` on, each by its tap. */
function weigh(w: Float64Array, p: number, x: Float64Array, i: number): number {
  return (
    (w[p] as number) * (x[i] as number) +
    (w[p + 1] as number) * (x[i - 64] as number) +
    (w[p + 2] as number) * (x[i - 128] as number) +
    (w[p + 3] as number) * (x[i - 192] as number) +
    (w[p + 4] as number) * (x[i - 256] as number) +
    (w[p + 5] as number) * (x[i - 320] as number) +
    (w[p + 6] as number) * (x[i - 384] as number) +
    (w[p + 7] as number) * (x[i - 448] as number)
  );
}

function foldedWindow(): Float64Array {
  const half = WINDOW.trim().split(/\s+/).map(Number);
  const whole = Float64Array.from({ length: 512 }, (_, at) => {
    const value = half[at <= 256 ? at : 512 - at] ?? 0;
    return (at > 256 && at % 64 !== 0 ? -value : value) / (65_536 * 32);
  });
  const taps = new Float64Array(SUBBANDS * TAPS);
  for (let m = 0; m < SUBBANDS; m++) {
    const [mirrored, sign] = m <= 16 ? [16 - m, m === 0 ? 0 : 1] : [80 - m, -1];
    for (let tap = 0; tap < TAPS / 2; tap++) {
      taps[m * TAPS + tap] = whole[16 + m + 64 * tap] ?? 0;
      taps[m * TAPS + TAPS / 2 + tap] = sign * (whole[mirrored + 64 * tap] ?? 0);
    }
  }
  return taps;
}
