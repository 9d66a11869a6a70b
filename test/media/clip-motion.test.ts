import { readFileSync } from 'node:fs';
import { afterAll, expect, it } from 'vitest';
import { cameraMove, type SceneMotion, type ShotName, sceneMotion } from '../../src/media/clip/camera-move.ts';
import { type ClipLayout, layOutClip, MACROBLOCK_PIXELS } from '../../src/media/clip/clip-layout.ts';
import { clip, decode, difference, framesOf, openRig } from './render-rig.ts';

const rig = openRig();
afterAll(() => rig.renderer.close());

const SHOTS: ShotName[] = ['pan', 'tilt', 'zoom', 'dolly', 'orbit'];
const LAYOUTS = [
  { width: 1280, height: 720 },
  { width: 480, height: 854 },
  { width: 1920, height: 1080 },
].map(layOutClip);

/** Places outside the still parts that do not move as the camera does, or that fetch what lies below the scene. */
function faults(layout: ClipLayout, motion: SceneMotion, share: number): string[] {
  const { columns, barRow } = layout;
  const free = sceneMotion(layout, { ...motion, still: [] }, share).vectors;
  const held = sceneMotion(layout, motion, share).vectors;
  const isStill = (x: number, y: number) =>
    motion.still.some((part) => x >= part.x && x < part.x + part.width && y >= part.y && y < part.y + part.height);
  return Array.from({ length: columns * barRow }, (_, at) => at).flatMap((at) => {
    const [column, row] = [at % columns, Math.floor(at / columns)];
    if (isStill(column * MACROBLOCK_PIXELS, row * MACROBLOCK_PIXELS)) return [];
    const [x, y] = [free[2 * at] ?? 0, free[2 * at + 1] ?? 0];
    const same = held[2 * at] === x && held[2 * at + 1] === y;
    const within = row * MACROBLOCK_PIXELS + y / 4 + MACROBLOCK_PIXELS <= barRow * MACROBLOCK_PIXELS;
    return same && within ? [] : [`column ${column}, row ${row}: ${x}, ${y}`];
  });
}

it.each(SHOTS)('draws no reference image or label into the scene, with the shot %s', (shot) => {
  for (const layout of LAYOUTS) {
    const area = { left: 0, top: 0, right: layout.width, bottom: layout.barRow * MACROBLOCK_PIXELS };
    const move = cameraMove(shot, area, { seconds: 10, inside: false });
    for (const share of [0.06, 0.3, 0.81, 1]) expect(faults(layout, { move, still: [] }, share)).toEqual([]);
  }
});

const scene = (frame: Buffer) => frame.subarray(0, 854 * 3 * 360);

it('keeps the colors of a video at each key frame', async () => {
  const file = rig.file('neon.mp4');
  const request = clip({ lighting: 'neon', prompt: 'a quiet lake', seconds: 5, shot: 'static' });
  await rig.renderer.render(request, file);
  // Above the lake nothing moves in a static clip.
  const [before, key] = framesOf(file, [95, 96]).map((frame) => frame.subarray(0, 854 * 3 * 200)) as [Buffer, Buffer];
  expect(difference(before, key)).toBeLessThan(0.02);
});

it.each(['clear hills at noon', 'snow over the hills at night'])(
  'does not move a static video of %s',
  async (prompt) => {
    const file = rig.file('still.mp4');
    await rig.renderer.render(clip({ prompt, shot: 'static', seconds: 2 }), file);
    const [one, other] = framesOf(file, [12, 24]).map(scene) as [Buffer, Buffer];
    expect(difference(one, other)).toBeLessThan(0.02);
    expect(decode(file).faults).toBe('');
  },
);

it('continues the motion of a video across key frames', async () => {
  const file = rig.file('seam.mp4');
  await rig.renderer.render(clip({ prompt: 'mountains at noon', shot: 'zoom', seconds: 5 }), file);
  const [before, key, next] = framesOf(file, [95, 96, 97]).map(scene) as [Buffer, Buffer, Buffer];
  expect(difference(before, key)).toBeLessThan(4 * difference(key, next) + 1);
});

it('keeps a 1080p video within H.264 level 4.2', async () => {
  const file = rig.file('level.mp4');
  await rig.renderer.render(clip({ width: 1920, height: 1080, seconds: 1, shot: 'pan' }), file);
  const bytes = readFileSync(file);
  expect(bytes[bytes.indexOf('avcC') + 7]).toBeLessThanOrEqual(42);
});
