import { PassThrough } from 'node:stream';
import type { RenderTools } from '../render-tools.ts';
import { type ConstantFormat, framesFor } from './constant-stream.ts';

/** Interleaved samples, as they are made. */
export interface Sound {
  /** Samples a channel, of all pieces together; known before the first piece. */
  length: number | Promise<number>;
  pieces: AsyncIterable<Int16Array>;
  /**
   * The share of it that each encoder takes: a second one is worth its start where there are more than about twelve
   * seconds, and takes less where it has to wait for its samples.
   */
  shares: readonly number[];
}

/** Frames from one to before another, which an encoder of its own makes. */
interface Lane {
  from: number;
  to: number;
}

/** Frames that an encoder is given beside those that are taken of it, so that it knows what lies before and after. */
const BESIDE = 3;

/**
 * Sound as frames of `format`, without a tag; the encoders start at once and take samples as they come. No frame borrows
 * bits from the one before it (`-reservoir 0`), so that frames may be copied and put in another order.
 */
export async function encodeFrames(sound: Sound, format: ConstantFormat, tools: RenderTools): Promise<Buffer> {
  const inputs = sound.shares.map(() => new PassThrough());
  const lanes = Promise.resolve(sound.length).then((length) => lanesOf(framesFor(length, format), sound.shares));
  const endAll = () => {
    for (const input of inputs) input.end();
  };
  const [, ...coded] = await Promise.all([
    lanes.then((all) => feed(inputs, all, sound.pieces, format)).finally(endAll),
    ...inputs.map((input) => encode(input, format, tools)),
  ]);
  const taken = (await lanes).map(({ from, to }, at) => {
    const before = Math.min(from, BESIDE);
    return coded[at]?.subarray(before * format.frameBytes, (before + to - from) * format.frameBytes);
  });
  return Buffer.concat(taken.filter((part) => part !== undefined));
}

function lanesOf(frames: number, shares: readonly number[]): Lane[] {
  const edge = (at: number) => Math.round(frames * shares.slice(0, at).reduce((sum, share) => sum + share, 0));
  return shares.map((_, at) => ({ from: edge(at), to: at + 1 === shares.length ? frames : edge(at + 1) }));
}

/** Gives every encoder its samples, and some more on either side. */
async function feed(
  inputs: readonly PassThrough[],
  lanes: readonly Lane[],
  pieces: AsyncIterable<Int16Array>,
  { frameSamples, channels }: ConstantFormat,
): Promise<void> {
  const values = frameSamples * channels;
  let at = 0;
  for await (const piece of pieces) {
    for (const [lane, { from, to }] of lanes.entries()) {
      const first = Math.max(0, (from - BESIDE) * values - at);
      const part = piece.subarray(first, Math.max(first, (to + BESIDE) * values - at));
      if (part.length > 0) inputs[lane]?.write(Buffer.from(part.buffer, part.byteOffset, part.byteLength));
    }
    at += piece.length;
    for (const [lane, { to }] of lanes.entries()) if (at >= (to + BESIDE) * values) inputs[lane]?.end();
  }
}

async function encode(input: PassThrough, format: ConstantFormat, tools: RenderTools): Promise<Buffer> {
  const shape = ['-f', 's16le', '-ar', `${format.sampleRate}`, '-ac', `${format.channels}`];
  const quick = ['-compression_level', '9', '-joint_stereo', '0'];
  const bare = ['-reservoir', '0', '-write_xing', '0', '-flush_packets', '0', '-id3v2_version', '0', '-f', 'mp3'];
  const outputOptions = ['-c:a', 'libmp3lame', '-b:a', `${format.kbits}k`, ...quick, ...bare];
  return tools.ffmpeg.run({ input, inputOptions: shape, outputOptions }, tools.signal);
}
