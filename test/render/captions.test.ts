import { createHash } from 'node:crypto';
import sharp from 'sharp';
import { afterAll, expect, it } from 'vitest';
import { Canvas } from '../../src/render/paint/canvas.ts';
import { EastAsianGlyphs } from '../../src/render/paint/east-asian-glyphs.ts';
import { Palette } from '../../src/render/paint/palette.ts';
import { runsOf } from '../../src/render/paint/text-runs.ts';
import { readSceneKit } from '../../src/render/scene/stage.ts';
import { HOSTILE_PROMPTS } from '../support/hostile-prompts.ts';
import { openRig, renderImage } from './render-rig.ts';

const rig = openRig();
afterAll(() => rig.renderer.close());

/** Every character that a double-byte encoding has between two lead and two trail bytes. */
function charactersOf(encoding: string, [first, last]: number[], [low, high]: number[]): string[] {
  const decoder = new TextDecoder(encoding);
  const found: string[] = [];
  for (let lead = first ?? 0; lead <= (last ?? 0); lead++) {
    for (let trail = low ?? 0; trail <= (high ?? 0); trail++) {
      const character = decoder.decode(Uint8Array.of(lead, trail));
      if (/^[\u3041-\u30fe\u4e00-\u9fff\uac00-\ud7a3]$/u.test(character)) found.push(character);
    }
  }
  return found;
}

/** What the npm packages of the fonts lack: rare characters, shown as boxes with their codes. */
const LACKING = 21;

it.each([
  ['GB 2312', 'gbk', [0xb0, 0xf7], [0xa1, 0xfe], 6763],
  ['Big5, first half of level 1', 'big5', [0xa4, 0xc5], [0x40, 0x7e], 2142],
  ['Big5, second half of level 1', 'big5', [0xa4, 0xc5], [0xa1, 0xfe], 3196],
  ['JIS X 0208', 'euc-jp', [0xa4, 0xf4], [0xa1, 0xfe], 6500],
  ['KS X 1001', 'euc-kr', [0xb0, 0xc8], [0xa1, 0xfe], 2350],
])('has a glyph for the characters of %s, but for a few rare ones', (_, encoding, leads, trails, least) => {
  const glyphs = new EastAsianGlyphs();
  const characters = charactersOf(encoding, leads, trails);
  expect(characters.length).toBeGreaterThanOrEqual(least);
  const lacking = characters.filter((character) => glyphs.glyph(character.codePointAt(0) ?? 0) === undefined);
  expect(lacking.length, lacking.join('')).toBeLessThanOrEqual(LACKING);
});

it('turns round what runs to the left, and leaves numbers and Latin as they are', () => {
  expect(runsOf('שלום 12 עולם').map(({ text }) => text)).toEqual(['עולם', ' ', '12', ' ', 'שלום']);
  expect(runsOf('plain')).toEqual([{ text: 'plain', script: undefined }]);
});

it.each([
  ['Arabic joined', 'سلام', 'س ل ا م'],
  ['Devanagari in conjuncts', 'क्षत्रिय', 'क ् ष त ् र ि य'],
])('draws %s narrower than its letters one by one', async (_, word, letters) => {
  const { lettering } = readSceneKit();
  await lettering.prepare(word);
  const apart = letters.split(' ').reduce((sum, letter) => sum + lettering.measure(letter, 40), 0);
  expect(lettering.measure(word, 40)).toBeLessThan(apart);
});

it('draws an emoji as the figure itself, in its colours', () => {
  const { lettering } = readSceneKit();
  const canvas = new Canvas(64, 64, new Palette());
  const ground = canvas.palette.add(0x102030);
  canvas.pixels.fill(ground);
  lettering.draw(canvas, '🦊', { x: 4, baseline: 50, size: 48, place: ground });
  const shown = new Set([...canvas.pixels].map((place) => canvas.palette.colours[place]));
  expect(shown).toContain(0xff822d);
});

it.each(HOSTILE_PROMPTS)('makes the same picture twice of %s', async (_, prompt) => {
  const [one, other] = [await renderImage(rig, { prompt }), await renderImage(rig, { prompt })];
  expect((await sharp(one, { failOn: 'warning' }).stats()).channels).toHaveLength(3);
  expect(createHash('sha256').update(other).digest('hex')).toBe(createHash('sha256').update(one).digest('hex'));
});
