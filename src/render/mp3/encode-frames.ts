import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RenderTools } from '../render-tools.ts';
import type { ConstantFormat } from './constant-stream.ts';
import { FrameEncoder } from './frame-encoder.ts';

/** Interleaved samples, as they are made. */
export interface Sound {
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
  const inputOptions = ['-f', 's16le', '-ar', `${format.sampleRate}`, '-ac', `${format.channels}`];
  const quick = ['-compression_level', '9', '-joint_stereo', '0'];
  const bare = ['-reservoir', '0', '-write_xing', '0', '-flush_packets', '0', '-id3v2_version', '0', '-f', 'mp3'];
  const outputOptions = ['-c:a', 'libmp3lame', '-b:a', `${format.kbits}k`, ...quick, ...bare];
  return tools.ffmpeg.run({ input: bytesOf(pieces), inputOptions, outputOptions }, tools.signal);
}

async function* bytesOf(pieces: Sound['pieces']): AsyncGenerator<Buffer> {
  for await (const { buffer, byteOffset, byteLength } of pieces) yield Buffer.from(buffer, byteOffset, byteLength);
}
