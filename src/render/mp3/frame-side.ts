import { BitWriter } from '../bit-writer.ts';
import type { ConstantFormat } from './stream-format.ts';
import { GRANULE } from './subband-filter.ts';

/** What differs between frames of two granules (MPEG-1) and of one (MPEG-2). */
interface Version {
  sync: number;
  rates: readonly number[];
  kbits: readonly number[];
  /** Bytes of side information, and the bits before its granules: nothing borrowed, nothing shared; of one and two channels. */
  bytes: readonly [number, number];
  head: readonly [number, number];
  /** Bits of a granule's scale factors and windows, and of what comes before the choice of the fours' table. */
  scale: number;
  flags: number;
}

const WHOLE: Version = {
  sync: 0xfffb,
  rates: [44_100, 48_000, 32_000],
  kbits: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  ...{ bytes: [17, 32], head: [18, 20], scale: 5, flags: 3 },
};
const HALF: Version = {
  sync: 0xfff3,
  rates: [22_050, 24_000, 16_000],
  kbits: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
  ...{ bytes: [9, 17], head: [9, 10], scale: 10, flags: 2 },
};
const HEADER_BYTES = 4;
/** Stereo, or one channel; an original. */
const [STEREO, MONO] = [0x04, 0xc4];

/** Writes what stands before the values of a frame: its header and side information. */
export class FrameSide {
  /** Its length. */
  readonly bytes: number;
  readonly #version: Version;
  readonly #header: number;
  readonly #head: number;
  readonly #writer = new BitWriter(64);

  constructor({ channels, frameSamples, sampleRate, kbits }: ConstantFormat) {
    const version = frameSamples > GRANULE ? WHOLE : HALF;
    const rate = (version.kbits.indexOf(kbits) << 4) | (version.rates.indexOf(sampleRate) << 2);
    this.#version = version;
    this.#header = (rate << 8) | (channels === 2 ? STEREO : MONO);
    this.#head = version.head[channels - 1] as number;
    this.bytes = HEADER_BYTES + (version.bytes[channels - 1] as number);
  }

  /** No scale factors, and long windows only. */
  of(granules: readonly CodedGranule[]): Buffer {
    const { sync, scale, flags } = this.#version;
    const writer = this.#writer.begin();
    writer.put(sync, 16);
    writer.put(this.#header, 16);
    writer.put(0, this.#head);
    for (const { bits, paired, gain, regions, tables, plainFours } of granules) {
      writer.put(bits, 12);
      writer.put(paired / 2, 9);
      writer.put(gain, 8);
      writer.put(0, scale);
      for (const table of tables) writer.put(table, 5);
      writer.put(regions.bands[0], 4);
      writer.put(regions.bands[1], 3);
      writer.put(plainFours ? 1 : 0, flags);
    }
    return writer.end();
  }
}

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
export const FINEST = UNIT_GAIN - 4 * 19;
export const COARSEST = 255;
/** By gain: what |x|^(3/4) is multiplied by. */
export const SCALES = stepScales();

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
export interface ValueRegions {
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
