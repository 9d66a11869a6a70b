import sharp from 'sharp';
import { afterAll, expect, it } from 'vitest';
import { difference, openRig, renderImage } from './render-rig.ts';

const rig = openRig();
afterAll(() => rig.renderer.close());

it.each([
  ['a creature', { prompt: 'a horse on a meadow' }, { negativePrompt: 'horse' }],
  ['a color', { prompt: 'a red village at noon' }, { negativePrompt: 'red' }],
  ['the weather', { prompt: 'snow over a city' }, { negativePrompt: 'snow' }],
])('draws a different image if the negative prompt names %s of the prompt', async (_, wish, change) => {
  const plain = await pixels(await renderImage(rig, wish));
  expect(difference(plain, await pixels(await renderImage(rig, { ...wish, ...change })))).toBeGreaterThan(0.5);
});

it('draws a different image with a higher cfg_scale', async () => {
  const wish = { prompt: 'a violet dreamy forest at night' };
  const weak = await pixels(await renderImage(rig, { ...wish, cfgScale: 1 }));
  const strong = await pixels(await renderImage(rig, { ...wish, cfgScale: 20 }));
  expect(difference(weak, strong)).toBeGreaterThan(4);
});

it('stores the prompt and the other parameters of an image in its PNG file', async () => {
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
