import { ffmpeg } from '../render/audio/audio-tools.ts';

export interface ProbedClip {
  width: number;
  height: number;
  /** Frames that a decoder gives, at 24 a second. */
  seconds: number;
  sound: boolean;
}

/** What an independent decoder finds in an MP4, all of it decoded; throws on the first error it reports. */
export function probeClip(bytes: Buffer): ProbedClip {
  const { status, stderr } = ffmpeg(bytes, ['-f', 'null', '-'], 'info');
  if (status !== 0) throw new Error(`ffmpeg could not decode: ${stderr}`);
  const [, width, height] = /Video: h264.*?, (\d+)x(\d+)/.exec(stderr) ?? [];
  const frames = [...stderr.matchAll(/frame= *(\d+)/g)].at(-1)?.[1];
  return {
    width: Number(width),
    height: Number(height),
    seconds: Number(frames) / 24,
    sound: /Audio: aac/.test(stderr),
  };
}

/** The mean colour of the first or the last frame, each part 0 to 255. */
export function frameColour(bytes: Buffer, which: 'first' | 'last'): [number, number, number] {
  const select = which === 'first' ? ['-frames:v', '1'] : [];
  const scaled = ['-vf', 'scale=1:1:flags=area', ...select, '-f', 'rawvideo', '-pix_fmt', 'rgb24'];
  const { stdout } = ffmpeg(bytes, [...scaled, 'pipe:1']);
  const [red = 0, green = 0, blue = 0] = stdout.subarray(-3);
  return [red, green, blue];
}
