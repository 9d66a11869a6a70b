import { writeFileSync } from 'node:fs';
import { loadSharp } from '../load-sharp.ts';
import type { RenderedFile, RenderTools, ThumbnailRequest } from '../render-request.ts';

const WIDTH = 320;
const HEIGHT = 320;
const QUALITY = 80;
const PAPER = '#141a26';
const FRAME_AT = '1';

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

/** The sound of an MP4 is not read. */
const PICTURE_DECODERS = ['h264', 'hevc', 'vp9', 'mpeg4', 'libaom-av1', 'libdav1d', 'av1'];

function frame(path: string, { ffmpeg, signal }: RenderTools): Promise<Buffer> {
  const input = { input: path, format: 'mp4', decoders: PICTURE_DECODERS, inputOptions: ['-ss', FRAME_AT] };
  const outputOptions = ['-frames:v', '1', '-an', '-sn', '-dn', '-c:v', 'png', '-f', 'image2pipe'];
  return ffmpeg.run({ ...input, outputOptions }, signal);
}

const WAVEFORM = `showwavespic=s=${WIDTH}x96:colors=0x6fc3df`;

function waveform(path: string, { ffmpeg, signal }: RenderTools): Promise<Buffer> {
  const outputOptions = ['-filter_complex', `aformat=channel_layouts=mono,${WAVEFORM}`];
  const input = { input: path, format: 'mp3', decoders: ['mp3', 'mp3float'] };
  const picture = ['-frames:v', '1', '-c:v', 'png', '-f', 'image2pipe'];
  return ffmpeg.run({ ...input, outputOptions: [...outputOptions, ...picture] }, signal);
}
