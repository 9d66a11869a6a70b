import type { BitWriter } from '../bit-writer.ts';
import { FOUR_CODES, FOUR_LENGTHS } from './huffman-tables.ts';
import { MOST_VALUE, PairTables } from './pair-tables.ts';
import { GRANULE } from './subband-filter.ts';

/** What the side information of a frame says of one channel's granule. */
export interface CodedGranule {
  bits: number;
  /** The step of the values: four to an octave, 210 for 1. */
  gain: number;
  /** Values that are coded in pairs; the others that are not 0 are coded in fours. */
  paired: number;
  /** Values that are coded at all. */
  coded: number;
  regions: ValueRegions;
  /** By region. */
  tables: readonly [number, number, number];
  /** Whether each four has a code of four bits, which is shorter where few of them are 0. */
  plainFours: boolean;
}

const UNIT_GAIN = 210;
/** Steps finer than a sample of 16 bits need not be told. */
const FINEST = UNIT_GAIN - 4 * 19;
const COARSEST = 255;
/** Values are rounded up from so much below the next: large ones are rarer than small ones. */
const ROUND = 0.4054;
/** Bits that each value takes less for one step more. */
const BITS_A_STEP = 0.19;
/** With so much of its room filled, a granule is not tried again. */
const FULL = 0.94;
/** How many of four values are 1. */
const ONES = Array.from({ length: 16 }, (_, four) => [8, 4, 2, 1].filter((bit) => four & bit).length);
/** By gain: what |x|^(3/4) is multiplied by. */
const SCALES = stepScales();

/** Rounds spectra to as many steps as there is room for, and writes them. */
export class GranuleCoder {
  readonly #tables = new PairTables();
  readonly #regions: readonly ValueRegions[];
  readonly #size: number;
  readonly #powers: Float64Array;
  /** Without signs, as they were rounded last. */
  readonly #values = new Int32Array(GRANULE);

  /** Of spectra of which the first `size` values, an even number, are coded. */
  constructor(size: number, regions: readonly ValueRegions[]) {
    this.#regions = regions;
    this.#size = size;
    this.#powers = new Float64Array(size);
  }

  /** The finest steps found with which `spectrum` takes at most `room` bits, tried from a likely `gain` on. */
  fit(spectrum: Float64Array, room: number, gain: number): CodedGranule {
    const most = this.#raise(spectrum);
    let finest = FINEST;
    while (most * (SCALES[finest] as number) > MOST_VALUE) finest++;
    let tooFine = finest - 1;
    let fits = COARSEST + 1;
    let at = most * (SCALES[finest] as number) + ROUND < 1 ? finest : Math.max(finest, gain);
    for (;;) {
      const coded = this.#measure(at);
      const step = (Math.abs(room - coded.bits) / (BITS_A_STEP * Math.max(32, coded.coded))) | 0;
      if (coded.bits > room) {
        tooFine = at;
        at = Math.min(fits - 1, at + 1 + step);
        if (at === tooFine) return this.#measure(fits);
      } else {
        if (coded.bits >= room * FULL || at - 1 === tooFine) return coded;
        fits = at;
        at = Math.max(tooFine + 1, at - Math.max(1, step));
      }
    }
  }

  /** Answers the largest of the values that are to be rounded. */
  #raise(spectrum: Float64Array): number {
    const powers = this.#powers;
    let most = 0;
    for (let i = 0; i < powers.length; i++) {
      const size = Math.abs(spectrum[i] as number);
      const power = Math.sqrt(size * Math.sqrt(size));
      powers[i] = power;
      if (power > most) most = power;
    }
    return most;
  }

  #measure(gain: number): CodedGranule {
    const values = this.#values;
    const powers = this.#powers;
    const scale = SCALES[gain] as number;
    for (let i = 0; i < powers.length; i++) values[i] = ((powers[i] as number) * scale + ROUND) | 0;
    let coded = this.#size;
    while (coded > 0 && ((values[coded - 1] as number) | (values[coded - 2] as number)) === 0) coded -= 2;
    let paired = coded;
    while (paired > 3 && this.#isFour(paired - 4)) paired -= 4;
    const regions = this.#regions[paired >> 1] as ValueRegions;
    const [end, next] = regions.ends;
    const first = this.#tables.best(values, 0, end);
    const second = this.#tables.best(values, end, next);
    const third = this.#tables.best(values, next, paired);
    const fours = this.#measureFours(paired, coded);
    const bits = first.bits + second.bits + third.bits + fours.bits;
    const tables = [first.number, second.number, third.number] as const;
    return { bits, gain, paired, coded, regions, tables, plainFours: fours.plain };
  }

  /** Whether four values from `at` on are all 0 or 1. */
  #isFour(at: number): boolean {
    const v = this.#values;
    return ((v[at] as number) | (v[at + 1] as number) | (v[at + 2] as number) | (v[at + 3] as number)) <= 1;
  }

  #measureFours(from: number, to: number): { bits: number; plain: boolean } {
    let bits = 0;
    let signs = 0;
    for (let at = from; at < to; at += 4) {
      const four = this.#four(at);
      bits += FOUR_LENGTHS[four] as number;
      signs += ONES[four] as number;
    }
    const plain = to - from < bits;
    return { bits: (plain ? to - from : bits) + signs, plain };
  }

  #four(at: number): number {
    const v = this.#values;
    return (
      ((v[at] as number) << 3) | ((v[at + 1] as number) << 2) | ((v[at + 2] as number) << 1) | (v[at + 3] as number)
    );
  }

  /** Writes what was fitted last, whose signs are those of `spectrum`. */
  write({ paired, coded, regions, tables, plainFours }: CodedGranule, spectrum: Float64Array, writer: BitWriter): void {
    const edges = [0, ...regions.ends, paired];
    for (const [region, number] of tables.entries()) {
      const range = [edges[region] as number, edges[region + 1] as number] as const;
      if (number > 0) this.#writePairs(range, number, { spectrum, writer });
    }
    for (let at = paired; at < coded; at += 4) {
      const four = this.#four(at);
      if (plainFours) writer.put(15 - four, 4);
      else writer.put(FOUR_CODES[four] as number, FOUR_LENGTHS[four] as number);
      for (let i = at; i < at + 4; i++) if (this.#values[i] === 1) writer.put(sign(spectrum[i] as number), 1);
    }
  }

  /** A pair's code, then of either value what is added to 15, and its sign. */
  #writePairs(
    [from, to]: readonly [number, number],
    number: number,
    { spectrum, writer }: { spectrum: Float64Array; writer: BitWriter },
  ): void {
    const { codes, lengths } = this.#tables.codes(number);
    const added = this.#tables.added(number);
    const most = added > 0 ? 14 : 15;
    const values = this.#values;
    for (let i = from; i < to; i += 2) {
      const x = values[i] as number;
      const y = values[i + 1] as number;
      const pair = (Math.min(15, x) << 4) | Math.min(15, y);
      let code = codes[pair] as number;
      let size = lengths[pair] as number;
      if (x > most) {
        code = (code << added) | (x - 15);
        size += added;
      }
      if (x > 0) {
        code = (code << 1) | sign(spectrum[i] as number);
        size++;
      }
      if (y > most) {
        writer.put(code, size);
        code = y - 15;
        size = added;
      }
      if (y > 0) {
        code = (code << 1) | sign(spectrum[i + 1] as number);
        size++;
      }
      writer.put(code, size);
    }
  }
}

function sign(value: number): 0 | 1 {
  return value < 0 ? 1 : 0;
}

/** By roots alone, which are the same everywhere. */
function stepScales(): Float64Array {
  const sixteenth = Math.sqrt(Math.sqrt(Math.sqrt(Math.SQRT2)));
  const ratio = sixteenth * sixteenth * sixteenth;
  const scales = new Float64Array(COARSEST + 1);
  scales[UNIT_GAIN] = 1;
  for (let gain = UNIT_GAIN - 1; gain >= 0; gain--) scales[gain] = (scales[gain + 1] as number) * ratio;
  for (let gain = UNIT_GAIN + 1; gain <= COARSEST; gain++) scales[gain] = (scales[gain - 1] as number) / ratio;
  return scales;
}

/** Where the regions of the values that are coded in pairs end, each of which has a table of its own. */
interface ValueRegions {
  /** How many bands the first two have, less one, as it is written. */
  bands: readonly [number, number];
  /** Where the first two end. */
  ends: readonly [number, number];
}

/** Where the bands of a spectrum end, by hertz; long windows. */
const BAND_ENDS: Record<number, readonly number[]> = {
  48000: [4, 8, 12, 16, 20, 24, 30, 36, 42, 50, 60, 72, 88, 106, 128, 156, 190, 230, 276, 330, 384, 576],
  16000: [6, 12, 18, 24, 30, 36, 44, 54, 66, 80, 96, 116, 140, 168, 200, 238, 284, 336, 396, 464, 522, 576],
};
/** Shares of the paired values that the first region and the first two have at least: the largest values come first. */
const SHARES = [0.12, 0.4] as const;
const MOST_BANDS = [16, 8] as const;

/** Of sound of 48,000 or 16,000 hertz, by the half of how many values are paired. */
export function valueRegions(sampleRate: number): readonly ValueRegions[] {
  const ends = BAND_ENDS[sampleRate] ?? [];
  return Array.from({ length: GRANULE / 2 + 1 }, (_, pairs) => regionsOf(2 * pairs, ends));
}

function regionsOf(paired: number, ends: readonly number[]): ValueRegions {
  const reach = (share: number) => ends.findIndex((end) => end >= paired * share);
  const first = Math.min(reach(SHARES[0]), MOST_BANDS[0] - 1);
  const second = Math.max(0, Math.min(reach(SHARES[1]) - first - 1, MOST_BANDS[1] - 1));
  const end = (band: number) => Math.min(paired, ends[band] ?? paired);
  return { bands: [first, second], ends: [end(first), end(first + second + 1)] };
}
