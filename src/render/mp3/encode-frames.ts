import type { RenderTools } from '../render-tools.ts';
import type { ConstantFormat } from './constant-stream.ts';

/**
 * Interleaved samples as frames of `format`, without a tag; the encoder starts at once and takes them as they come. No frame
 * borrows bits from the one before it (`-reservoir 0`), so that frames may be copied and put in another order.
 */
export function encodeFrames(
  samples: AsyncIterable<Int16Array>,
  format: ConstantFormat,
  tools: RenderTools,
): Promise<Buffer> {
  const shape = ['-f', 's16le', '-ar', `${format.sampleRate}`, '-ac', `${format.channels}`];
  const quick = ['-compression_level', '9', '-joint_stereo', '0'];
  const bare = ['-reservoir', '0', '-write_xing', '0', '-id3v2_version', '0', '-f', 'mp3'];
  const outputOptions = ['-c:a', 'libmp3lame', '-b:a', `${format.kbits}k`, ...quick, ...bare];
  return tools.ffmpeg.run({ input: bytesOf(samples), inputOptions: shape, outputOptions }, tools.signal);
}

async function* bytesOf(samples: AsyncIterable<Int16Array>): AsyncGenerator<Buffer> {
  for await (const piece of samples) yield Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
}
