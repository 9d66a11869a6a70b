import { setImmediate as nextTurn } from 'node:timers/promises';
import { BitWriter } from '../bit-writer.ts';
import type { RenderTools } from '../render-request.ts';
import { type CodedGranule, FrameSide, valueRegions } from './frame-side.ts';
import { GranuleCoder } from './granule-coder.ts';
import { codedValues, GranuleSpectrum } from './granule-spectrum.ts';
import { type ConstantFormat, framesFor } from './stream-format.ts';
import { GRANULE, LOOKED_BACK } from './subband-filter.ts';

/** Interleaved samples, as they are made. */
interface Sound {
  /** Samples a channel, of all pieces together. */
  length: number;
  pieces: AsyncIterable<Int16Array> | Iterable<Int16Array>;
}

/** Sound as frames of `format`, without a tag; others have their turn after each piece. */
export async function encodeFrames({ length, pieces }: Sound, format: ConstantFormat): Promise<Buffer> {
  const encoder = new FrameEncoder(format, length);
  for await (const piece of pieces) {
    encoder.push(piece);
    await nextTurn();
  }
  return encoder.finish();
}

/** The same by a process of the packaged encoder, which starts at once and takes samples as they come. */
export async function encodeElsewhere({ pieces }: Sound, format: ConstantFormat, tools: RenderTools): Promise<Buffer> {
  const inputOptions = ['-ar', `${format.sampleRate}`, '-ac', `${format.channels}`];
  const quick = ['-compression_level', '9', '-joint_stereo', '0'];
  const bare = ['-reservoir', '0', '-write_xing', '0', '-flush_packets', '0', '-id3v2_version', '0', '-f', 'mp3'];
  const outputOptions = ['-c:a', 'libmp3lame', '-b:a', `${format.kbits}k`, ...quick, ...bare];
  const input = { input: bytesOf(pieces), format: 's16le', decoders: ['pcm_s16le'], inputOptions };
  return tools.ffmpeg.run({ ...input, outputOptions }, tools.signal);
}

async function* bytesOf(pieces: Sound['pieces']): AsyncGenerator<Buffer> {
  for await (const { buffer, byteOffset, byteLength } of pieces) yield Buffer.from(buffer, byteOffset, byteLength);
}

/** Samples of silence before the sound, so that with filter and windows the delay is what every decoder expects. */
const LEAD = 48;
const FULL_SCALE = 1 / 32_768;
/** The largest length of a granule that a frame can tell. */
const MOST_BITS = 4095;
const LIKELY_GAIN = 180;

/** Codes sound into frames of one length; none borrows bits of another, so that frames may be copied and put in another order. */
export class FrameEncoder {
  readonly #format: ConstantFormat;
  readonly #channels: readonly GranuleSpectrum[];
  readonly #spectrum = new Float64Array(GRANULE);
  readonly #coder: GranuleCoder;
  /** The last of each channel. */
  readonly #gains: number[];
  readonly #side: FrameSide;
  readonly #main = new BitWriter(2048);
  readonly #frames: Buffer;
  /** Bytes of `#frames` that are written. */
  #written = 0;
  /** Granules of the frame that is being filled, and the bits they have left. */
  #granules: CodedGranule[] = [];
  #left = 0;
  /** New samples of the granule that is being filled. */
  #filled = LEAD;

  /** For `length` samples a channel. */
  constructor(format: ConstantFormat, length: number) {
    const values = codedValues(format.sampleRate);
    this.#format = format;
    this.#channels = Array.from({ length: format.channels }, () => new GranuleSpectrum(values));
    this.#coder = new GranuleCoder(values, valueRegions(format.sampleRate));
    this.#gains = this.#channels.map(() => LIKELY_GAIN);
    this.#side = new FrameSide(format);
    this.#frames = Buffer.alloc(framesFor(length, format) * format.frameBytes);
  }

  /** The next samples, interleaved. */
  push(samples: Int16Array): void {
    const { channels } = this.#format;
    for (let at = 0; at < samples.length; ) {
      const count = Math.min(GRANULE - this.#filled, (samples.length - at) / channels);
      for (const [channel, { samples: held }] of this.#channels.entries()) {
        take(samples.subarray(at + channel), channels, held.subarray(LOOKED_BACK + this.#filled).subarray(0, count));
      }
      at += count * channels;
      this.#filled += count;
      if (this.#filled === GRANULE) this.#codeGranule();
    }
  }

  /** All frames; what is left of the last ones is silence. */
  finish(): Buffer {
    while (this.#written < this.#frames.length) {
      for (const { samples } of this.#channels) samples.fill(0, LOOKED_BACK + this.#filled);
      this.#codeGranule();
    }
    return this.#frames;
  }

  #codeGranule(): void {
    const { channels, frameSamples, frameBytes } = this.#format;
    const count = (frameSamples / GRANULE) * channels;
    if (this.#granules.length === 0) {
      this.#main.begin();
      this.#left = (frameBytes - this.#side.bytes) * 8;
    }
    for (const [channel, spectra] of this.#channels.entries()) {
      spectra.next(this.#spectrum);
      const room = Math.min(MOST_BITS, Math.floor(this.#left / (count - this.#granules.length)));
      const coded = this.#coder.fit(this.#spectrum, room, this.#gains[channel] as number);
      this.#coder.write(coded, this.#spectrum, this.#main);
      this.#gains[channel] = coded.gain;
      this.#left -= coded.bits;
      this.#granules.push(coded);
    }
    this.#filled = 0;
    if (this.#granules.length === count) this.#writeFrame();
  }

  #writeFrame(): void {
    this.#frames.set(this.#side.of(this.#granules), this.#written);
    this.#frames.set(this.#main.end(), this.#written + this.#side.bytes);
    this.#written += this.#format.frameBytes;
    this.#granules = [];
  }
}

/** One channel's samples of a piece. */
function take(samples: Int16Array, step: number, held: Float64Array): void {
  for (let i = 0; i < held.length; i++) held[i] = (samples[i * step] as number) * FULL_SCALE;
}
