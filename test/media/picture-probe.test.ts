import sharp from 'sharp';
import { expect, it } from 'vitest';
import { probePicture } from '../../src/media/picture-probe.ts';

const drawn = sharp({ create: { width: 300, height: 200, channels: 3, background: '#4080c0' } });
const rows = [
  ['png', () => drawn.clone().png().toBuffer()],
  ['jpeg', () => drawn.clone().jpeg().toBuffer()],
  ['jpeg', () => drawn.clone().jpeg({ progressive: true }).toBuffer()],
  ['webp', () => drawn.clone().webp().toBuffer()],
  ['webp', () => drawn.clone().webp({ lossless: true }).toBuffer()],
  ['webp', () => drawn.clone().ensureAlpha(0.5).webp().toBuffer()],
] as const;

it.each(rows)('reads format and size of a %s image', async (format, make) => {
  expect(probePicture(await make())).toEqual({ format, width: 300, height: 200 });
});

it.each(rows)('rejects a %s image that ends too early, at several lengths', async (_, make) => {
  const whole = await make();
  for (let length = 0; length < whole.length; length += Math.max(1, whole.length >> 6)) {
    expect(() => probePicture(whole.subarray(0, length)), `${length}`).toThrow(/The image is/);
  }
});

it.each([
  ['a GIF', Buffer.from('GIF89a\x01\0\x01\0\0\0\0;', 'latin1')],
  ['text', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')],
  ['an empty file', Buffer.alloc(0)],
])('rejects %s as an image and names the accepted formats', (_, bytes) => {
  expect(() => probePicture(bytes)).toThrow('The image is not a PNG, JPEG or WebP file; give one of these.');
});

it.each([
  [16_385, 1, 'a side may have at most 16384'],
  [9000, 9000, 'at most 64 megapixels'],
  [0, 5, 'at least one'],
])('rejects an image of %i x %i pixels', async (width, height, text) => {
  const png = await drawn.clone().png().toBuffer();
  png.writeUInt32BE(width, 16);
  png.writeUInt32BE(height, 20);
  expect(() => probePicture(png)).toThrow(text);
});
