import { writeFileSync } from 'node:fs';
import { loadSharp } from '../load-sharp.ts';
import type { RenderedFile, RenderTools, ThumbnailRequest } from '../render-request.ts';

/** The most that a small picture measures, in pixels. */
const WIDTH = 320;
const HEIGHT = 320;
const QUALITY = 80;
/** Behind a waveform, and behind what a picture lets through. */
const PAPER = '#141a26';
/** A clip is shown by a frame of this second: by then something has moved. */
const FRAME_AT = '1';

/** Writes the small picture of a finished render to `target`. */
export async function renderThumbnail(
  request: ThumbnailRequest,
  target: string,
  tools: RenderTools,
): Promise<RenderedFile> {
  const sharp = loadSharp();
  const picture = sharp(await source(request, tools))
    .flatten({ background: PAPER })
    .resize(WIDTH, HEIGHT, { fit: 'inside', withoutEnlargement: true })
    .webp({ quality: QUALITY });
  const bytes = await picture.toBuffer();
  tools.signal.throwIfAborted();
  writeFileSync(target, bytes);
  tools.onProgress(1);
  return { bytes: bytes.length, contentType: 'image/webp' };
}

function source({ of, contentType }: ThumbnailRequest, tools: RenderTools) {
  if (contentType.startsWith('video/')) return frame(of.path, tools);
  if (contentType.startsWith('audio/')) return waveform(of.path, tools);
  return Promise.resolve(of.path);
}

/** What pictures of an MP4 are coded with; its sound is not read. */
const PICTURE_DECODERS = ['h264', 'hevc', 'vp9', 'mpeg4', 'libaom-av1', 'libdav1d', 'av1'];

function frame(path: string, { ffmpeg, signal }: RenderTools): Promise<Buffer> {
  const input = { input: path, format: 'mp4', decoders: PICTURE_DECODERS, inputOptions: ['-ss', FRAME_AT] };
  const outputOptions = ['-frames:v', '1', '-an', '-sn', '-dn', '-c:v', 'png', '-f', 'image2pipe'];
  return ffmpeg.run({ ...input, outputOptions }, signal);
}

const WAVEFORM = `showwavespic=s=${WIDTH}x96:colors=0x6fc3df`;

/** A PNG of how loud a sound is as it goes on, in one colour on nothing. */
function waveform(path: string, { ffmpeg, signal }: RenderTools): Promise<Buffer> {
  const outputOptions = ['-filter_complex', `aformat=channel_layouts=mono,${WAVEFORM}`];
  const input = { input: path, format: 'mp3', decoders: ['mp3', 'mp3float'] };
  const picture = ['-frames:v', '1', '-c:v', 'png', '-f', 'image2pipe'];
  return ffmpeg.run({ ...input, outputOptions: [...outputOptions, ...picture] }, signal);
}
