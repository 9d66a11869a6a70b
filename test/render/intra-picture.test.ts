import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { packagedFfmpeg } from '../../src/render/ffmpeg.ts';
import { IntraPictures } from '../../src/render/h264/intra-picture.ts';
import { pictureSet, sequenceSet } from '../../src/render/h264/stream-parameters.ts';
import { SeededRandom } from '../../src/render/paint/seeded-random.ts';

const [WIDTH, HEIGHT] = [160, 96];
const PIXELS = WIDTH * HEIGHT;
const START = Buffer.from([0, 0, 0, 1]);
/** What has to be above: how near, in decibels, a decoded picture is to the one that was to be coded. */
const LIKE = 38;

/** Brightness and both colours, from a place in its plane. */
type Drawn = (x: number, y: number, plane: number) => number;

const random = new SeededRandom(7);
const pictures: [name: string, drawn: Drawn][] = [
  ['one colour', () => 90],
  ['stripes across', (_x, y) => 40 + 30 * ((y >> 3) % 5)],
  ['stripes down', (x) => 40 + 30 * ((x >> 3) % 5)],
  ['a slope', (x, y, plane) => (plane === 0 ? x + y : 200 - x)],
  ['squares', (x, y, plane) => (((x >> 4) ^ (y >> 4)) & 1 ? 235 : 16 + plane)],
  ['soft noise', () => 120 + 16 * random.next()],
  ['noise', () => 256 * random.next()],
  ['black and white', () => (random.next() < 0.5 ? 0 : 255)],
];

function picture(drawn: Drawn): Buffer {
  const bytes = Buffer.alloc(PIXELS * 1.5);
  const fill = (plane: number, from: number, [width, height]: [number, number]) => {
    for (let at = 0; at < width * height; at++) bytes[from + at] = drawn(at % width, Math.floor(at / width), plane);
  };
  fill(0, 0, [WIDTH, HEIGHT]);
  fill(1, PIXELS, [WIDTH / 2, HEIGHT / 2]);
  fill(2, PIXELS * 1.25, [WIDTH / 2, HEIGHT / 2]);
  return bytes;
}

function decoded(unit: Buffer): Buffer {
  const size = { columns: WIDTH / 16, rows: HEIGHT / 16, crop: { width: WIDTH, height: HEIGHT }, framesPerSecond: 24 };
  const input = Buffer.concat([START, sequenceSet(size), START, pictureSet(), START, unit]);
  const strict = ['-v', 'error', '-xerror', '-err_detect', 'explode', '-f', 'h264', '-i', '-'];
  return execFileSync(packagedFfmpeg().path, [...strict, '-f', 'rawvideo', '-pix_fmt', 'yuv420p', '-'], { input });
}

function likeness(one: Buffer, other: Buffer): number {
  const squares = one.reduce((sum, byte, at) => sum + (byte - (other[at] ?? 0)) ** 2, 0);
  return 10 * Math.log10((255 * 255 * one.length) / squares);
}

it.each(pictures)(
  'is decoded, of %s, to the bit as the coder has foreseen, and near to what was drawn',
  (_name, drawn) => {
    const bytes = picture(drawn);
    const source = Buffer.from(bytes);
    const seen = decoded(new IntraPictures().key({ width: WIDTH, height: HEIGHT, bytes }, 0));
    expect(seen.equals(bytes)).toBe(true);
    expect(likeness(seen, source)).toBeGreaterThan(LIKE);
  },
);

it('takes little more than a byte for each macroblock of one colour, and the same bytes when its memory is used again', () => {
  const coder = new IntraPictures();
  const code = (drawn: Drawn) => Buffer.from(coder.key({ width: WIDTH, height: HEIGHT, bytes: picture(drawn) }, 0));
  const first = code(() => 90);
  const noise = code(() => 256 * random.next());
  expect(first.length).toBeLessThan(2 * (PIXELS / 256));
  expect(noise.length).toBeGreaterThan(100 * first.length);
  expect(code(() => 90).equals(first)).toBe(true);
});
