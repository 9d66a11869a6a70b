import type { RenderTools } from '../render-request.ts';
import type { ConstantFormat } from './stream-format.ts';

/** Interleaved samples, as they are made. */
type Pieces = AsyncIterable<Int16Array> | Iterable<Int16Array>;

/** All frames are of one length, and none borrows bits of another: they may be copied and put in another order. */
const BARE = ['-reservoir', '0', '-write_xing', '0', '-flush_packets', '0', '-id3v2_version', '0', '-f', 'mp3'];
const QUICK = ['-compression_level', '9', '-joint_stereo', '0'];

/** Sound as frames of `format`, without a tag, by LAME in a process that takes samples as they come. */
export function encodeSound(pieces: Pieces, format: ConstantFormat, { ffmpeg, signal }: RenderTools): Promise<Buffer> {
  const { sampleRate, channels, kbits } = format;
  const run = {
    input: bytesOf(pieces),
    format: 's16le',
    decoders: ['pcm_s16le'],
    inputOptions: ['-ar', `${sampleRate}`, '-ac', `${channels}`],
    outputOptions: ['-c:a', 'libmp3lame', '-b:a', `${kbits}k`, ...QUICK, ...BARE],
  };
  return ffmpeg.run(run, signal);
}

async function* bytesOf(pieces: Pieces): AsyncGenerator<Buffer> {
  for await (const { buffer, byteOffset, byteLength } of pieces) yield Buffer.from(buffer, byteOffset, byteLength);
}
