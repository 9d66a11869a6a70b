import { BitWriter } from '../bit-writer.ts';
import type { CodedGranule } from './granule-coder.ts';
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
