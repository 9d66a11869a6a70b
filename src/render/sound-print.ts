/** Samples a second of the sound that a print is taken of, in one channel. */
export const PRINT_RATE = 8000;
/** How much of a sound is looked at. */
export const PRINT_SECONDS = 40;

/** 10 ms; a hop of a print is four of them, so that prints can be held against each other at finer places. */
const GRAIN_MS = 10;
const GRAIN = (PRINT_RATE * GRAIN_MS) / 1000;
const GRAINS_A_HOP = 4;
const BANDS = 3;
/** How much of the way to the next sample two filters go: they part the bands near 400 and 1,600 Hz. */
const LOW = 0.27;
const MIDDLE = 0.72;
/** In grains: encoders put some of their own silence before a sound, each time that it is encoded anew. */
const MOST_SHIFT = 30;
const LEAST_HOPS = 6;
/** Of so many hops one is looked at to find what is near, and so many prints are near. */
const ROUGH_STRIDE = 4;
const MOST_NEAR = 4;

/** The levels of a sound whose beginning is taken to lie so many grains later. */
interface Try {
  shift: number;
  levels: Uint8Array;
}

/** How strongly each band sounds in each grain, one band after the other for each. */
export type Energies = Float64Array;

/** Samples of any rate that is a multiple of `PRINT_RATE`, interleaved, as one channel of that rate. */
export function atPrintRate(samples: Int16Array, channels: number, sampleRate: number): Int16Array {
  const step = (sampleRate / PRINT_RATE) * channels;
  const length = Math.min(Math.floor(samples.length / step), PRINT_RATE * PRINT_SECONDS);
  const out = new Int16Array(length);
  for (let at = 0; at < length; at++) {
    let sum = 0;
    for (let from = at * step; from < (at + 1) * step; from++) sum += samples[from] as number;
    out[at] = sum / step;
  }
  return out;
}

/** The energies of one channel of `PRINT_RATE`. */
export function energiesOf(samples: Int16Array): Energies {
  const grains = Math.floor(samples.length / GRAIN);
  const energies = new Float64Array(grains * BANDS);
  let [low, middle] = [0, 0];
  for (let grain = 0; grain < grains; grain++) {
    let [first, second, third] = [0, 0, 0];
    for (let at = grain * GRAIN; at < (grain + 1) * GRAIN; at++) {
      const sample = samples[at] as number;
      low += (sample - low) * LOW;
      middle += (sample - middle) * MIDDLE;
      const [between, above] = [middle - low, sample - middle];
      first += low * low;
      second += between * between;
      third += above * above;
    }
    energies.set([first, second, third], grain * BANDS);
  }
  return energies;
}

/** A coarse print of a sound: the level of three bands, 25 times a second. */
export function printOf(energies: Energies): Uint8Array {
  return levels(energies, 0);
}

/** Which of some prints a sound is likest to, and how much: up to 1; silence and even tones are like nothing. */
export interface Likest {
  /** Place in the list; -1 where there is none. */
  at: number;
  like: number;
  /** By so many milliseconds the sound comes later than in the print, to the nearest ten. */
  late: number;
}

/** Tries every print roughly and the nearest ones wherever the sound may begin, so that a hundred take some milliseconds. */
export function likest(prints: readonly Uint8Array[], energies: Energies): Likest {
  const tries = Array.from({ length: 2 * MOST_SHIFT + 1 }, (_, i) => {
    const shift = i - MOST_SHIFT;
    return { shift, levels: levels(energies, shift) };
  });
  const rough = tries.filter((_, i) => i % GRAINS_A_HOP === GRAINS_A_HOP / 2);
  const near = prints
    .map((print, at) => ({ at, ...bestOf(print, rough, ROUGH_STRIDE) }))
    .sort((one, other) => other.like - one.like)
    .slice(0, MOST_NEAR);
  const rated = near.map(({ at }) => ({ at, ...bestOf(prints[at] as Uint8Array, tries, 1) }));
  return rated.reduce((best, each) => (each.like > best.like ? each : best), { at: -1, like: 0, late: 0 });
}

function bestOf(print: Uint8Array, tries: readonly Try[], stride: number): Omit<Likest, 'at'> {
  let best = { like: 0, late: 0 };
  for (const one of tries) {
    const like = correlation(print, one, stride);
    if (like > best.like) best = { like, late: one.shift * GRAIN_MS };
  }
  return best;
}

/** Levels of hops that begin `shift` grains later; what lies before the sound is left out by whoever compares. */
function levels(energies: Energies, shift: number): Uint8Array {
  const hops = Math.floor((energies.length / BANDS - shift) / GRAINS_A_HOP);
  const out = new Uint8Array(Math.max(0, hops) * BANDS);
  for (let at = 0; at < out.length; at++) {
    const band = at % BANDS;
    const from = ((at - band) / BANDS) * GRAINS_A_HOP + shift;
    let sum = 0;
    for (let grain = from; grain < from + GRAINS_A_HOP; grain++) sum += energies[grain * BANDS + band] ?? 0;
    out[at] = levelOf(sum);
  }
  return out;
}

/** Eighths of a doubling, in whole numbers alone: the last bits of a logarithm are not the same everywhere. */
function levelOf(energy: number): number {
  const whole = Math.min(0x7fffffff, Math.floor(energy / 65_536)) | 1024;
  const exponent = 31 - Math.clz32(whole);
  return (exponent - 10) * 8 + ((whole >> (exponent - 3)) & 7);
}

/** The mean over the bands of how the levels of both rise and fall together. */
function correlation(one: Uint8Array, { shift, levels: other }: Try, most: number): number {
  const skipped = Math.max(0, Math.ceil(-shift / GRAINS_A_HOP));
  const hops = Math.min(one.length, other.length) / BANDS;
  if (hops - skipped < LEAST_HOPS) return 0;
  const stride = hops - skipped < LEAST_HOPS * most ? 1 : most;
  let sum = 0;
  for (let band = 0; band < BANDS; band++) {
    const sums = { count: 0, x: 0, y: 0, xx: 0, yy: 0, xy: 0 };
    for (let hop = skipped; hop < hops; hop += stride) {
      sums.count++;
      const [x, y] = [one[hop * BANDS + band] as number, other[hop * BANDS + band] as number];
      sums.x += x;
      sums.y += y;
      sums.xx += x * x;
      sums.yy += y * y;
      sums.xy += x * y;
    }
    sum += pearson(sums);
  }
  return sum / BANDS;
}

function pearson({ count, x, y, xx, yy, xy }: Record<'count' | 'x' | 'y' | 'xx' | 'yy' | 'xy', number>): number {
  const spread = (count * xx - x * x) * (count * yy - y * y);
  return spread > 0 ? (count * xy - x * y) / Math.sqrt(spread) : 0;
}
