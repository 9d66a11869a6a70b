import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import ffmpeg from '@ffmpeg-installer/ffmpeg';
import sharp, { type Sharp } from 'sharp';

const run = promisify(execFile);
const SOUND = ['-f', 'lavfi', '-i', 'sine=frequency=440:sample_rate=48000'];
const CODECS = [
  ...['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p'],
  ...['-c:a', 'aac', '-b:a', '128k', '-ac', '2', '-movflags', '+faststart', '-y'],
];

export interface ClipSize {
  width: number;
  height: number;
  seconds: number;
}

/**
 * A PNG of a gradient from corner to corner and a line of text, the plain way: to be written to a file, as ours is, or
 * kept. Straight down it would take half the time, for then each row is of one colour.
 */
export function plainPicture(at: number): Sharp {
  const hue = (at * 47 + 3600) % 360;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="1024" height="1024"><defs><linearGradient id="g" x2="1" y2="1"><stop stop-color="hsl(${hue},60%,30%)"/><stop offset="1" stop-color="hsl(${(hue + 120) % 360},60%,45%)"/></linearGradient></defs><rect width="1024" height="1024" fill="url(#g)"/><text x="120" y="520" font-size="48" fill="#fff">number ${at}</text></svg>`;
  return sharp(Buffer.from(svg)).png();
}

/** ffmpeg's moving test picture with a tone. */
export function testSource({ width, height, seconds }: ClipSize, folder: string) {
  const source = ['-f', 'lavfi', '-i', `testsrc2=size=${width}x${height}:rate=24`];
  return plainClip([...source, ...SOUND, '-t', `${seconds}`, ...CODECS], folder);
}

/** One picture for the whole length, with a tone; `still` is made by `writeStill`. */
export function loopedStill(still: string, seconds: number, folder: string) {
  const source = ['-framerate', '24', '-loop', '1', '-i', still];
  const options = ['-t', `${seconds}`, '-tune', 'stillimage', ...CODECS];
  return plainClip([...source, ...SOUND, ...options], folder);
}

export async function writeStill({ width, height }: ClipSize, folder: string): Promise<string> {
  const path = join(folder, `still-${width}.png`);
  const drawn = sharp(await plainPicture(1).toBuffer()).resize(width, height, { fit: 'fill' });
  writeFileSync(path, await drawn.png({ compressionLevel: 1 }).toBuffer());
  return path;
}

function plainClip(args: string[], folder: string): Promise<unknown> {
  return run(ffmpeg.path, ['-v', 'error', '-nostdin', ...args, join(folder, 'plain.mp4')]);
}
