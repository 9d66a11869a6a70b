import { readFileSync } from 'node:fs';
import { afterAll, expect, it } from 'vitest';
import { clip, decode, difference, framesOf, openRig } from './render-rig.ts';

const rig = openRig();
afterAll(() => rig.renderer.close());

const scene = (frame: Buffer) => frame.subarray(0, 854 * 3 * 360);

it.each(['clear hills at noon', 'snow over the hills at night'])(
  'does not move the scene of a video with the shot static: %s',
  async (prompt) => {
    const file = rig.file('still.mp4');
    await rig.renderer.render(clip({ prompt, shot: 'static', seconds: 2 }), file);
    const [one, other] = framesOf(file, [12, 24]).map(scene) as [Buffer, Buffer];
    expect(difference(one, other)).toBeLessThan(0.02);
    expect(decode(file).faults).toBe('');
  },
);

it('keeps a 1080p video within H.264 level 4.2', async () => {
  const file = rig.file('level.mp4');
  await rig.renderer.render(clip({ width: 1920, height: 1080, seconds: 1, shot: 'pan' }), file);
  const bytes = readFileSync(file);
  expect(bytes[bytes.indexOf('avcC') + 7]).toBeLessThanOrEqual(42);
});
