import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import ffmpeg from '@ffmpeg-installer/ffmpeg';
import { emptyFolder } from '../cli/spawned-program.ts';
import { bareFrames } from '../media/audio/audio-samples.ts';

/** An MP4 of one second that the emulator did not make. */
export function smallClip(): Buffer {
  const file = path.join(emptyFolder(), 'clip.mp4');
  const source = ['-f', 'lavfi', '-i', 'color=teal:s=64x36:r=24:d=1'];
  execFileSync(ffmpeg.path, [...source, '-pix_fmt', 'yuv420p', file], { stdio: 'ignore' });
  return readFileSync(file);
}

/** 50 frames of silence: 1.2 seconds. */
export function smallSound(): Buffer {
  return bareFrames(50);
}

export function dataUrl(type: string, bytes: Buffer): string {
  return `data:${type};base64,${bytes.toString('base64')}`;
}
