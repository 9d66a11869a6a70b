import sharp from 'sharp';
import { afterAll, expect, it } from 'vitest';
import { difference, openRig, renderImage } from './render-rig.ts';

const rig = openRig();
afterAll(() => rig.renderer.close());

const subjects = [
  ...['a lighthouse on a cliff', 'snowy peaks', 'tokyo at night', 'a fox in the forest', 'desert dunes'],
  ...['a coral reef', 'an astronaut on mars', 'a misty lake', 'a village in winter', 'a rose garden'],
];
const moments = ['at dawn', 'at noon', 'at dusk', 'in the rain', 'in autumn'];

const PROMPTS = subjects.flatMap((subject, at) => [subject, `${subject} ${moments[at % moments.length]}`]);

it('draws 1024 x 1024 pixels in at most 400 KB, and composes at least nine in ten of twenty prompts differently [R156]', async () => {
  const seen: Uint8Array[] = [];
  let distinct = 0;
  for (const prompt of PROMPTS) {
    const png = await renderImage(rig, { prompt });
    const { info } = await sharp(png, { failOn: 'warning' }).raw().toBuffer({ resolveWithObject: true });
    expect(info).toMatchObject({ width: 1024, height: 1024, channels: 3 });
    expect(png.length).toBeLessThanOrEqual(400 * 1024);
    const outline = await outlineOf(png);
    if (seen.every((other) => differing(outline, other) >= 20)) distinct++;
    seen.push(outline);
  }
  expect(distinct).toBeGreaterThanOrEqual(0.9 * seen.length);
});

/** Which of 16 x 16 fields above the caption is brighter than its right neighbour: blind to the palette. */
async function outlineOf(png: Buffer): Promise<Uint8Array> {
  const grey = await sharp(png)
    .extract({ left: 0, top: 0, width: 1024, height: 850 })
    .greyscale()
    .normalise()
    .resize(17, 16, { fit: 'fill' })
    .raw()
    .toBuffer();
  const marks = Array.from({ length: 256 }, (_, at) => {
    const place = Math.floor(at / 16) * 17 + (at % 16);
    return (grey[place] ?? 0) > (grey[place + 1] ?? 0) ? 1 : 0;
  });
  return Uint8Array.from(marks);
}

function differing(one: Uint8Array, other: Uint8Array): number {
  return one.reduce((count, mark, at) => count + (mark === other[at] ? 0 : 1), 0);
}

it.each([
  ['a named creature', { prompt: 'a horse on a meadow' }, { negativePrompt: 'horse' }],
  ['a named colour', { prompt: 'a red village at noon' }, { negativePrompt: 'red' }],
  ['a named weather', { prompt: 'snow over a city' }, { negativePrompt: 'snow' }],
])('omits %s that the negative prompt names [R152]', async (_, wish, change) => {
  const plain = await pixels(await renderImage(rig, wish));
  expect(difference(plain, await pixels(await renderImage(rig, { ...wish, ...change })))).toBeGreaterThan(0.5);
});

it('draws more words of the prompt with a higher cfg_scale [R153]', async () => {
  const wish = { prompt: 'a violet dreamy forest at night' };
  const weak = await pixels(await renderImage(rig, { ...wish, cfgScale: 1 }));
  const strong = await pixels(await renderImage(rig, { ...wish, cfgScale: 20 }));
  expect(difference(weak, strong)).toBeGreaterThan(4);
});

it('stores the recipe of an image in its file', async () => {
  const png = await renderImage(rig, { prompt: 'Größe – μέγεθος', seed: 5, cfgScale: 9 });
  const at = png.indexOf('Recipe\0');
  const recipe = png.toString('utf8', at + 11, png.indexOf('}', at) + 1);
  expect(JSON.parse(recipe)).toEqual({
    model: 'svc-image-one',
    prompt: 'Größe – μέγεθος',
    cfgScale: 9,
    seed: 5,
  });
});

function pixels(png: Buffer): Promise<Buffer> {
  const top = { left: 0, top: 0, width: 1024, height: 860 };
  return sharp(png).extract(top).raw().toBuffer();
}
