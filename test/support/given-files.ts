import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { bareFrames } from '../render/audio/audio-samples.ts';

const { path: ffmpeg } = createRequire(import.meta.url)('@ffmpeg-installer/ffmpeg') as {
  path: string;
};

/** An MP4 of one second, as another program makes it. */
export function smallClip(): Buffer {
  const folder = mkdtempSync(path.join(tmpdir(), 'svc-clip-'));
  const file = path.join(folder, 'clip.mp4');
  const source = ['-f', 'lavfi', '-i', 'color=teal:s=64x36:r=24:d=1'];
  try {
    execFileSync(ffmpeg, [...source, '-pix_fmt', 'yuv420p', file], { stdio: 'ignore' });
    return readFileSync(file);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** 50 frames of silence: 1.2 seconds. */
export function smallSound(): Buffer {
  return bareFrames(50);
}

export function dataUrl(type: string, bytes: Buffer): string {
  return `data:${type};base64,${bytes.toString('base64')}`;
}
