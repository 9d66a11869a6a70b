import { writeFileSync } from 'node:fs';
import { loadSharp } from '../load-sharp.ts';
import type { RenderedFile, RenderTools, ThumbnailRequest } from '../render-request.ts';

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
  const sharp = loadSharp();
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

/** What pictures of an MP4 are coded with; its sound is not read. */
const PICTURE_DECODERS = ['h264', 'hevc', 'vp9', 'mpeg4', 'libaom-av1', 'libdav1d', 'av1'];

function frame(path: string, { ffmpeg, signal }: RenderTools): Promise<Buffer> {
  const input = { input: path, format: 'mp4', decoders: PICTURE_DECODERS, inputOptions: ['-ss', FRAME_AT] };
  const outputOptions = ['-frames:v', '1', '-an', '-sn', '-dn', '-c:v', 'png', '-f', 'image2pipe'];
  return ffmpeg.run({ ...input, outputOptions }, signal);
}

/** Samples a second that are looked at: enough to see how loud it is. */
const RATE = 8000;
const WAVE_HEIGHT = 96;
const PAPER = [0x14, 0x1a, 0x26];
const INK = [0x6f, 0xc3, 0xdf];

/** A PNG of how loud a sound is as it goes on, one column of pixels for each stretch of it. */
async function drawWaveform(path: string, width: number, { ffmpeg, signal }: RenderTools): Promise<Buffer> {
  const outputOptions = ['-vn', '-sn', '-ac', '1', '-ar', `${RATE}`, '-c:a', 'pcm_s16le', '-f', 's16le'];
  const input = { input: path, format: 'mp3', decoders: ['mp3', 'mp3float'] };
  const sound = await ffmpeg.run({ ...input, outputOptions }, signal);
  const raw = { width, height: WAVE_HEIGHT, channels: 3 as const };
  return loadSharp()(paint(peaks(sound, width), width), { raw })
    .png()
    .toBuffer();
}

/** The loudest sample of each stretch, 0 to 1. */
function peaks(sound: Buffer, count: number): number[] {
  const samples = Math.floor(sound.length / 2);
  return Array.from({ length: count }, (_, column) => {
    const from = Math.floor((column * samples) / count);
    const to = Math.floor(((column + 1) * samples) / count);
    let loudest = 0;
    for (let at = from; at < to; at++) loudest = Math.max(loudest, Math.abs(sound.readInt16LE(at * 2)));
    return loudest / 32_768;
  });
}

function paint(loudness: readonly number[], width: number): Buffer {
  const pixels = Buffer.alloc(width * WAVE_HEIGHT * 3);
  for (let y = 0; y < WAVE_HEIGHT; y++) {
    const away = Math.abs(y - (WAVE_HEIGHT - 1) / 2);
    for (let x = 0; x < width; x++) {
      const reach = Math.max(1, ((loudness[x] ?? 0) * WAVE_HEIGHT) / 2);
      pixels.set(away < reach ? INK : PAPER, (y * width + x) * 3);
    }
  }
  return pixels;
}
