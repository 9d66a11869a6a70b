import { createHash } from 'node:crypto';
import sharp from 'sharp';
import { afterAll, expect, it } from 'vitest';
import { EastAsianGlyphs, visibleText } from '../../src/media/paint/lettering.ts';
import { readSceneKit } from '../../src/media/scene/painter.ts';
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

const glyphs = new EastAsianGlyphs();
/** What the npm packages of the fonts lack: rare characters, shown as boxes with their codes. */
const LACKING = 21;

it.each([
  ['GB 2312', 'gbk', [0xb0, 0xf7], [0xa1, 0xfe], 6763],
  ['Big5, first half of level 1', 'big5', [0xa4, 0xc5], [0x40, 0x7e], 2142],
  ['Big5, second half of level 1', 'big5', [0xa4, 0xc5], [0xa1, 0xfe], 3196],
  ['JIS X 0208', 'euc-jp', [0xa4, 0xf4], [0xa1, 0xfe], 6500],
  ['KS X 1001', 'euc-kr', [0xb0, 0xc8], [0xa1, 0xfe], 2350],
])('has a glyph for the characters of %s, but for a few rare ones', (_, encoding, leads, trails, least) => {
  const characters = charactersOf(encoding, leads, trails);
  expect(characters.length).toBeGreaterThanOrEqual(least);
  const lacking = characters.filter((character) => glyphs.glyph(character.codePointAt(0) ?? 0) === undefined);
  expect(lacking.length, lacking.join('')).toBeLessThanOrEqual(LACKING);
});

it.each([
  ['Arabic', 'ثعلب في الغابة', ''],
  ['Hebrew', 'שועל ביער, 2', ''],
  ['Devanagari', 'जंगल में लोमड़ी।', ''],
  ['Thai', 'จิ้งจอกในป่า!', ''],
  ['Arabic next to Latin', 'svc ثعلب fox', 'svc fox'],
  ['Greek', 'αλεπού', 'αλεπού'],
  ['marks alone', '?!', '?!'],
])('leaves out of a caption what is shaped by its neighbours: %s', (_, prompt, shown) => {
  expect(visibleText(prompt)).toBe(shown);
});

it('draws an emoji as the figure itself, in its colours', () => {
  const { lettering } = readSceneKit();
  expect(lettering.draw('🦊', { x: 4, baseline: 50, size: 48, colour: 0x102030 })).toContain('fill="#ff822d"');
});

it.each([
  ...HOSTILE_PROMPTS,
  ['2,400 characters without a space', 'x'.repeat(2400)],
  ['controls', '\u0000\u0007a\u200b\u202eb\uffff'],
  ['markup and shell', '<svg onload=x> $(rm -rf /) %s \' " ; `id` [in][out]scale=1:1'],
  ['nothing', ''],
])('makes a whole picture of %s', async (_, prompt) => {
  const { channels } = await sharp(await renderImage(rig, { prompt }), { failOn: 'warning' }).stats();
  expect(channels).toHaveLength(3);
});

it('makes the same picture twice of characters that the font lacks', async () => {
  const prompt = '東京の夜 こんにちは 𝔘';
  const [one, other] = [await renderImage(rig, { prompt }), await renderImage(rig, { prompt })];
  expect(createHash('sha256').update(other).digest('hex')).toBe(createHash('sha256').update(one).digest('hex'));
});
