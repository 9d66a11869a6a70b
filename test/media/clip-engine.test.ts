import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import sharp from 'sharp';
import { afterAll, expect, it } from 'vitest';
import type { ClipRequest } from '../../src/media/render-request.ts';
import { clip, decode, difference, frameOf, framesOf, openRig, renderImage } from './render-rig.ts';

const rig = openRig();
afterAll(() => rig.renderer.close());

/** Smaller than any engine renders, but large enough for most of these tests. */
const SMALL = { width: 426, height: 240 };
const USUAL = { width: 854, height: 480 };

async function rendered(name: string, change: Partial<ClipRequest>): Promise<string> {
  const target = rig.file(`${name}.mp4`);
  await rig.renderer.render(clip({ ...SMALL, seconds: 1, ...change }), target);
  return target;
}

/** The video that the test of changed requests compares with. */
const plain = await rendered('plain', {});
const plainly = frameOf(plain, 0);

it('writes the index of a video before its media data', () => {
  const bytes = readFileSync(plain);
  expect(bytes.indexOf('moov')).toBeLessThan(bytes.indexOf('mdat'));
});

it.each([
  ['much smaller', 200, 150, 1],
  ['narrower', 700, 1400, 1],
  ['turned by its EXIF orientation', 300, 500, 6],
  ['larger', 2000, 1500, 1],
] as const)(
  'starts a video with an image that is %s, cropped to its center [I117]',
  async (name, width, height, orientation) => {
    const path = rig.file(`${width}x${height}.jpg`);
    const drawn = sharp(await renderImage(rig, { prompt: 'a red barn' }));
    await drawn.resize(width, height, { fit: 'fill' }).withMetadata({ orientation }).toFile(path);
    const firstFrame = { sha256: name, path };
    const file = await rendered('sized', { firstFrame });
    const wanted = sharp(path).autoOrient().resize(426, 240, { fit: 'cover', kernel: 'linear' });
    expect(difference(frameOf(file, 0), await wanted.raw().toBuffer())).toBeLessThan(4);
  },
);

it('draws different images in place of two reference images that may not be fetched', async () => {
  const one = await rendered('one', { firstFrame: { standIn: 'a'.repeat(64) } });
  const other = await rendered('other', { firstFrame: { standIn: 'b'.repeat(64) } });
  expect(difference(frameOf(one, 0), frameOf(other, 0))).toBeGreaterThan(5);
});

it.each(['pan', 'tilt', 'zoom', 'dolly', 'orbit'])('moves the scene of a video with the shot %s', async (shot) => {
  const file = await rendered('shot', { ...USUAL, shot, prompt: 'mountains', seconds: 2 });
  const [begin, end] = framesOf(file, [0, 47]).map(above) as [Buffer, Buffer];
  expect(difference(begin, end)).toBeGreaterThan(0.8);
});

it.each([
  ['seed', { seed: 8 }],
  ['lighting', { lighting: 'neon night' }],
  ['prompt', { prompt: 'a quiet lake, again' }],
  ['list of figures', { figures: [{ handle: 'mira', name: 'Mira', kind: 'character' }] }],
] as const)('renders a different video for another %s', async (_, change) => {
  const changed = frameOf(await rendered('changed', change as Partial<ClipRequest>), 0);
  expect(difference(plainly, changed)).toBeGreaterThan(0.3);
});

it('draws a different strip at the bottom of a video for each of two engines', async () => {
  const slate = async (engine: string) => {
    const frame = frameOf(await rendered('slate', { ...USUAL, engine }), 0);
    return frame.subarray(Math.floor((frame.length * 8) / 10));
  };
  const [one, other] = [await slate('engine A'), await slate('engine B')];
  expect(difference(one, other)).toBeGreaterThan(0.5);
});

it('renders the same first frame of a video with and without sound', async () => {
  const silent = await rendered('silent', { prompt: 'kept by its content', audio: false });
  const heard = await rendered('heard', { prompt: 'kept by its content', audio: true });
  expect(difference(frameOf(silent, 0), frameOf(heard, 0))).toBe(0);
  expect(decode(heard)).toMatchObject({ faults: '', frames: 24, codecs: ['h264', 'aac'] });
});

it('rejects a damaged reference image of a video with invalid_request, and leaves no file [I006]', async () => {
  const path = rig.file('broken.png');
  writeFileSync(path, (await renderImage(rig, {})).subarray(0, 5000));
  const request = clip({ firstFrame: { sha256: 'x', path } });
  const render = rig.renderer.render(request, rig.file('broken.mp4'));
  await expect(render).rejects.toMatchObject({ code: 'invalid_request', param: 'reference' });
  expect(existsSync(rig.file('broken.mp4'))).toBe(false);
});

function above(frame: Buffer): Buffer {
  return frame.subarray(0, Math.floor((frame.length * 7) / 10));
}
