import type { RenderTools } from '../render-tools.ts';

/** Samples a second that are looked at: enough to see how loud it is. */
const RATE = 8000;
const HEIGHT = 96;
const PAPER = [0x14, 0x1a, 0x26];
const INK = [0x6f, 0xc3, 0xdf];

/** A PNG of how loud a sound is as it goes on, one column of pixels for each stretch of it. */
export async function drawWaveform(path: string, width: number, { ffmpeg, signal }: RenderTools): Promise<Buffer> {
  const outputOptions = ['-ac', '1', '-ar', `${RATE}`, '-c:a', 'pcm_s16le', '-f', 's16le'];
  const sound = await ffmpeg.run({ input: `file:${path}`, outputOptions }, signal);
  const { default: sharp } = await import('sharp');
  const raw = { width, height: HEIGHT, channels: 3 as const };
  return sharp(paint(peaks(sound, width), width), { raw })
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
  const pixels = Buffer.alloc(width * HEIGHT * 3);
  for (let y = 0; y < HEIGHT; y++) {
    const away = Math.abs(y - (HEIGHT - 1) / 2);
    for (let x = 0; x < width; x++) {
      const reach = Math.max(1, ((loudness[x] ?? 0) * HEIGHT) / 2);
      pixels.set(away < reach ? INK : PAPER, (y * width + x) * 3);
    }
  }
  return pixels;
}
