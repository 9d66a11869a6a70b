import { inflateSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { SeededRandom } from '../../src/render/paint/seeded-random.ts';
import { RowDeflate } from '../../src/render/picture/row-deflate.ts';

const [WIDTH, HEIGHT] = [64, 48];

function drawn(paint: (x: number, y: number, random: SeededRandom) => number): Uint8Array {
  const random = new SeededRandom(11);
  return Uint8Array.from({ length: WIDTH * HEIGHT }, (_, at) => paint(at % WIDTH, Math.floor(at / WIDTH), random));
}

/** The rows as a PNG has them: each after a zero. */
function rows(pixels: Uint8Array): Buffer {
  const parts = Array.from({ length: HEIGHT }, (_, y) =>
    Buffer.from([0, ...pixels.subarray(y * WIDTH, (y + 1) * WIDTH)]),
  );
  return Buffer.concat(parts);
}

const pictures: [string, Uint8Array][] = [
  ['one colour', drawn(() => 200)],
  ['noise', drawn((_x, _y, random) => random.below(256))],
  ['noise of two colours', drawn((_x, _y, random) => 254 + random.below(2))],
  ['bands', drawn((_x, y) => y >> 2)],
  ['columns that repeat above', drawn((x) => (x * 37) & 255)],
  ['rows that differ at the first pixel', drawn((x, y) => (x === 0 ? y : 9))],
  ['rows that differ at the last pixel', drawn((x, y) => (x === WIDTH - 1 ? y : 9))],
  ['short repeats among noise', drawn((x, y, random) => (x % 9 < 5 ? y >> 3 : random.below(256)))],
];

it.each(pictures)('writes %s so that zlib reads the same rows and checksum', (_, pixels) => {
  const deflate = new RowDeflate(WIDTH, HEIGHT);
  const first = Buffer.from(deflate.deflate(pixels));
  expect(inflateSync(first).equals(rows(pixels))).toBe(true);
  deflate.deflate(drawn((x, y) => x ^ y));
  expect(first.equals(deflate.deflate(pixels))).toBe(true);
});

/** Its sums are beyond 32 bits. */
it.each([
  ['one colour', () => 255],
  ['two colours in turn', (x: number) => 254 + (x & 1)],
])('writes the widest rows it may, of %s below black', (_, paint) => {
  const width = 8188;
  const below = Uint8Array.from({ length: width }, (_pixel, x) => paint(x));
  const pixels = Uint8Array.from([...new Uint8Array(width), ...below]);
  const expected = Buffer.from([0, ...pixels.subarray(0, width), 0, ...below]);
  const written = new RowDeflate(width, 2).deflate(pixels);
  expect(inflateSync(written).equals(expected)).toBe(true);
});
