import { expect } from 'vitest';
import { type AspectRatio, frameSize } from '../../src/engine/catalogue/catalogue.ts';
import type { Resolution } from '../../src/engine/catalogue/catalogue-file.ts';
import { clip, decode, type Rig } from './render-rig.ts';

type WholeClip = readonly [
  engine: string,
  resolution: Resolution,
  aspect: AspectRatio,
  seconds: number,
  audio: boolean,
];

/** Renders a clip and decodes all of it: size, number of frames, seconds, codecs, and no faults. */
export async function expectWholeClip(
  rig: Rig,
  [engine, resolution, aspect, seconds, audio]: WholeClip,
): Promise<void> {
  const size = frameSize(resolution, aspect);
  const target = rig.file('whole.mp4');
  const prompt = `${engine} ${resolution} ${aspect}`;
  await rig.renderer.render(clip({ engine, ...size, seconds, audio, prompt }), target);
  expect(decode(target)).toEqual({
    ...{ faults: '', frames: seconds * 24, size: `${size.width}x${size.height}`, seconds },
    codecs: audio ? ['h264', 'aac'] : ['h264'],
  });
}
