import { writeFileSync } from 'node:fs';
import type { RenderedFile, ThumbnailRequest } from '../render-request.ts';
import type { RenderTools } from '../render-tools.ts';
import { drawWaveform } from './draw-waveform.ts';

/** The most that a small picture measures, in pixels. */
const WIDTH = 320;
const HEIGHT = 320;
const QUALITY = 80;
/** A clip is shown by a frame of this second: by then something has moved. */
const FRAME_AT = '1';

/** Writes the small picture of a finished render to `target`. */
export async function renderThumbnail(
  request: ThumbnailRequest,
  target: string,
  tools: RenderTools,
): Promise<RenderedFile> {
  const { default: sharp } = await import('sharp');
  const picture = sharp(await source(request, tools))
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
  if (contentType.startsWith('audio/')) return drawWaveform(of.path, WIDTH, tools);
  return Promise.resolve(of.path);
}

function frame(path: string, { ffmpeg, signal }: RenderTools): Promise<Buffer> {
  const outputOptions = ['-frames:v', '1', '-c:v', 'png', '-f', 'image2pipe'];
  const inputOptions = ['-ss', FRAME_AT];
  return ffmpeg.run({ input: `file:${path}`, inputOptions, outputOptions }, signal);
}
