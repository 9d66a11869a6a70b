import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import ffmpegInstaller from '@ffmpeg-installer/ffmpeg';
import { fileOf } from '../cli/spawned-program.ts';

const run = promisify(execFile);

export interface ProbedClip {
  width: number;
  height: number;
  /** The number of decoded frames, divided by 24. */
  seconds: number;
  sound: boolean;
}

/** Decodes a whole MP4 with an independent decoder. Rejects at the first error that it reports. */
export async function probeClip(bytes: Buffer): Promise<ProbedClip> {
  const { stderr } = await ffmpeg(bytes, ['-f', 'null', '-']);
  const [, width, height] = /Video: h264.*?, (\d+)x(\d+)/.exec(`${stderr}`) ?? [];
  const frames = [...`${stderr}`.matchAll(/frame= *(\d+)/g)].at(-1)?.[1];
  return {
    width: Number(width),
    height: Number(height),
    seconds: Number(frames) / 24,
    sound: /Audio: aac/.test(`${stderr}`),
  };
}

/** Red, green and blue at the middle of the first and of the last frame, each 0 to 255. */
export async function endColours(bytes: Buffer): Promise<{ first: number[]; last: number[] }> {
  const middle = ['-vf', 'crop=iw/2:ih/4,scale=1:1:flags=area'];
  const raw = ['-f', 'rawvideo', '-pix_fmt', 'rgb24', 'pipe:1'];
  const { stdout } = await ffmpeg(bytes, [...middle, ...raw]);
  return { first: [...stdout.subarray(0, 3)], last: [...stdout.subarray(-3)] };
}

async function ffmpeg(bytes: Buffer, output: string[]) {
  const file = fileOf('clip.mp4', bytes);
  const strict = ['-hide_banner', '-nostdin', '-xerror', '-err_detect', 'explode', '-i', file];
  const limits = { encoding: 'buffer', maxBuffer: 1 << 28 } as const;
  return run(ffmpegInstaller.path, [...strict, ...output], limits);
}
