import { spawnSync } from 'node:child_process';
import ffmpeg from '@ffmpeg-installer/ffmpeg';
import { afterAll, expect, it } from 'vitest';
import { backgroundSoundOf } from '../../src/media/clip/render-clip.ts';
import { clip, openRig } from './render-rig.ts';

const rig = openRig();
afterAll(() => rig.renderer.close());

const RATE = 48_000;

async function heard(prompt: string): Promise<Float32Array> {
  const file = rig.file('heard.mp4');
  await rig.renderer.render(clip({ prompt, seconds: 3, audio: true }), file);
  const run = spawnSync(ffmpeg.path, ['-v', 'error', '-i', file, '-ac', '1', '-f', 'f32le', '-'], {
    maxBuffer: 1 << 28,
  });
  return new Float32Array(Uint8Array.from(run.stdout).buffer);
}

/** How strongly the pitch of the tick sounds in 30 ms from a second on. */
function tickAt(samples: Float32Array, second: number): number {
  let [real, other] = [0, 0];
  for (let at = 0; at < RATE * 0.03; at++) {
    const sample = samples[Math.round(second * RATE) + at] ?? 0;
    const turn = (2 * Math.PI * 1320 * at) / RATE;
    real += sample * Math.cos(turn);
    other += sample * Math.sin(turn);
  }
  return Math.hypot(real, other);
}

/** Heard by two tests. */
const room = await heard('a quiet living room');

it('plays a soft tick at each second of the time code', () => {
  for (const second of [1, 2]) {
    expect(tickAt(room, second)).toBeGreaterThan(4 * tickAt(room, second - 0.5));
    expect(tickAt(room, second)).toBeGreaterThan(1.5 * tickAt(room, second - 0.02));
  }
});

it.each([
  ['sea', 'clear', 'sea'],
  ['city', 'rain', 'rain'],
  ['city', 'clear', 'city'],
  ['room', 'storm', 'room'],
  ['forest', 'snow', 'forest'],
  ['mountains', 'clear', 'wind'],
  ['volcano', 'cloudy', 'fire'],
])('gives a video of %s in weather %s the sound of %s', (ground, weather, bed) => {
  expect(backgroundSoundOf({ ground, weather })).toBe(bed);
});

it('gives a video the sound of its place', async () => {
  const sea = await heard('waves on the sea');
  expect(Buffer.from(sea.buffer).equals(Buffer.from(room.buffer))).toBe(false);
});
