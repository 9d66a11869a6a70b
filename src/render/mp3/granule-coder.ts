import type { BitWriter } from '../bit-writer.ts';
import { COARSEST, type CodedGranule, FINEST, SCALES, type ValueRegions } from './frame-side.ts';
import { FOUR_CODES, FOUR_LENGTHS, ONES, sign } from './huffman-tables.ts';
import { MOST_VALUE, PairTables } from './pair-tables.ts';
import { GRANULE } from './subband-filter.ts';

/** Values are rounded up from so much below the next: large ones are rarer than small ones. */
const ROUND = 0.4054;
/** Bits that each value takes less for one step more. */
const BITS_A_STEP = 0.19;
/** With so much of its room filled, a granule is not tried again. */
const FULL = 0.94;

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
    const [values, powers] = [this.#values, this.#powers];
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
    let [bits, signs] = [0, 0];
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
