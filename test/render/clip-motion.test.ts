import { readFileSync } from 'node:fs';
import { afterAll, expect, it } from 'vitest';
import { cameraMove, type ShotName } from '../../src/render/clip/camera-move.ts';
import { BLOCK, type ClipLayout, layOut } from '../../src/render/clip/clip-layout.ts';
import { clearArea, stillRim } from '../../src/render/clip/draw-rim.ts';
import { EngineLooks } from '../../src/render/clip/engine-look.ts';
import { type SceneMotion, sceneField } from '../../src/render/clip/motion-field.ts';
import { sampleOf } from '../support/sample.ts';
import { clip, decode, difference, frameOf, openRig } from './render-rig.ts';

const rig = openRig();
afterAll(() => rig.renderer.close());

const SHOTS: ShotName[] = ['pan', 'tilt', 'zoom', 'dolly', 'orbit'];
const LAYOUTS = [
  { width: 1280, height: 720 },
  { width: 480, height: 854 },
  { width: 1920, height: 1080 },
].map(layOut);

/** Places outside the still parts that do not move as the camera does, or that fetch what lies below the scene. */
function faults(layout: ClipLayout, motion: SceneMotion, share: number): string[] {
  const { columns, barRow } = layout;
  const free = sceneField(layout, { ...motion, still: [] }, share).vectors;
  const held = sceneField(layout, motion, share).vectors;
  const isStill = (x: number, y: number) =>
    motion.still.some((part) => x >= part.x && x < part.x + part.width && y >= part.y && y < part.y + part.height);
  return Array.from({ length: columns * barRow }, (_, at) => at).flatMap((at) => {
    const [column, row] = [at % columns, Math.floor(at / columns)];
    if (isStill(column * BLOCK, row * BLOCK)) return [];
    const [x, y] = [free[2 * at] ?? 0, free[2 * at + 1] ?? 0];
    const same = held[2 * at] === x && held[2 * at + 1] === y;
    const within = row * BLOCK + y / 4 + BLOCK <= barRow * BLOCK;
    return same && within ? [] : [`column ${column}, row ${row}: ${x}, ${y}`];
  });
}

it.each([...'ABDEFGJKLN'])('fetches no scenery from the rim of engine %s, nor from the slate', (letter) => {
  const look = new EngineLooks().of(`engine ${letter}`);
  for (const layout of LAYOUTS) {
    const area = clearArea(look, layout);
    for (const shot of SHOTS) {
      const move = cameraMove(shot, area, { seconds: 10, inside: false });
      const motion = { move, still: stillRim(look, layout) };
      for (const share of [0.06, 0.3, 0.81, 1]) expect([shot, ...faults(layout, motion, share)]).toEqual([shot]);
    }
  }
});

it('keeps its colours from one key picture to the next', async () => {
  const file = rig.file('neon.mp4');
  const request = clip({ engine: 'engine O', lighting: 'neon', prompt: 'a quiet lake', seconds: 12, shot: 'static' });
  await rig.renderer.render(request, file);
  // Above the lake nothing moves in a static clip.
  const sky = (frame: number) => frameOf(file, frame).subarray(0, 854 * 3 * 200);
  expect(difference(sky(95), sky(96))).toBeLessThan(0.02);
});

/** Of a static clip: the mean difference of two frames above its slate, and the strict decoder's faults. */
async function movement(prompt: string, [one, other]: [number, number]): Promise<{ moved: number; faults: string }> {
  const file = rig.file(`${prompt}.mp4`);
  await rig.renderer.render(clip({ prompt, shot: 'static', seconds: 2 }), file);
  const scene = (frame: number) => frameOf(file, frame).subarray(0, 854 * 3 * 360);
  return { moved: difference(scene(one), scene(other)), faults: decode(file).faults };
}

const FALLING = ['rain over the hills at dusk', 'snow over the hills at dusk', 'a storm over the hills at night'];

it.each(sampleOf(FALLING, 1))('lets fall what falls: %s', async (prompt) => {
  const { moved, faults } = await movement(prompt, [12, 24]);
  expect(moved).toBeGreaterThan(0.3);
  expect(faults).toBe('');
});

it('never shows a picture without the snow that falls, not after a key picture either', async () => {
  const file = rig.file('snowing.mp4');
  await rig.renderer.render(clip({ prompt: 'snow over the hills at night', shot: 'static', seconds: 6 }), file);
  const around = [71, 72, 73, 74, 75, 76].map((at) => frameOf(file, at));
  const all = [...around, ...[10, 40, 90, 110, 130].map((at) => frameOf(file, at))];
  // What most frames have in common is the scene; a flake is brighter than that.
  const flakes = (frame: Buffer) => {
    let count = 0;
    for (let at = 0; at < 854 * 400 * 3; at += 36) {
      const values = all.map((other) => other[at] ?? 0).sort((a, b) => a - b);
      if ((frame[at] ?? 0) > (values[5] ?? 0) + 12) count++;
    }
    return count;
  };
  const counts = around.map(flakes);
  expect(Math.min(...counts)).toBeGreaterThan(Math.max(...counts) / 4);
});

it('leaves a clear sky as it is', async () => {
  expect((await movement('clear hills at noon', [12, 24])).moved).toBeLessThan(0.02);
});

/** Where the red of a frame is, in pixels from its left, and how much of it there is. */
function redOf(frame: Buffer): { count: number; middle: number; bottom: number } {
  let [count, sum, bottom] = [0, 0, 0];
  for (let at = 0; at < 854 * 400; at++) {
    const [red = 0, green = 0, blue = 0] = frame.subarray(at * 3, at * 3 + 3);
    if (red < 150 || green > 90 || blue > 90) continue;
    count++;
    sum += at % 854;
    bottom = Math.floor(at / 854);
  }
  return { count, middle: sum / count, bottom };
}

it.each(sampleOf(['static', 'pan', 'zoom'], 1))(
  'has a car cross the picture and leaves nothing behind it, with the shot %s',
  async (shot) => {
    const file = rig.file(`car-${shot}.mp4`);
    await rig.renderer.render(clip({ prompt: 'a red car on a road at noon', shot, seconds: 3 }), file);
    const [first, last] = [frameOf(file, 0), frameOf(file, 71)];
    const [begun, ended] = [redOf(first), redOf(last)];
    expect(Math.abs(ended.middle - begun.middle)).toBeGreaterThan(200);
    expect(ended.count / begun.count).toBeCloseTo(1, 0.8);
    // The street is the same all along, so also where the car was.
    const street = (x: number) => last.subarray((begun.bottom * 854 + x) * 3, (begun.bottom * 854 + x + 40) * 3);
    const [was, between] = [Math.round(begun.middle) - 20, Math.round((begun.middle + ended.middle) / 2) - 20];
    expect(difference(street(was), street(between))).toBeLessThan(2);
    expect(decode(file).faults).toBe('');
  },
);

it('has a car cross the picture before a cow, which stays whole where it is', async () => {
  const file = rig.file('car-and-cow.mp4');
  await rig.renderer.render(clip({ prompt: 'a red car and a cow at noon', shot: 'static', seconds: 3 }), file);
  const [first, middle, last] = [0, 36, 71].map((at) => frameOf(file, at)) as [Buffer, Buffer, Buffer];
  const [begun, ended] = [redOf(first), redOf(last)];
  expect(Math.abs(ended.middle - begun.middle)).toBeGreaterThan(200);
  // Above the street nothing has changed while the car went by.
  const above = (frame: Buffer) => frame.subarray(0, 854 * 3 * 240);
  expect(difference(above(first), above(middle))).toBeLessThan(0.02);
  expect(difference(above(first), above(last))).toBeLessThan(0.02);
  expect(decode(file).faults).toBe('');
});

it('keeps 1080p within level 4.2', async () => {
  const file = rig.file('level.mp4');
  await rig.renderer.render(clip({ width: 1920, height: 1080, seconds: 1, shot: 'pan' }), file);
  const bytes = readFileSync(file);
  expect(bytes[bytes.indexOf('avcC') + 7]).toBeLessThanOrEqual(42);
});
