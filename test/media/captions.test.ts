import { createHash } from 'node:crypto';
import sharp from 'sharp';
import { afterAll, expect, it } from 'vitest';
import { EastAsianGlyphs } from '../../src/media/paint/lettering.ts';
import { loadSceneAssets } from '../../src/media/scene/painter.ts';
import { HOSTILE_PROMPTS } from '../support/hostile-prompts.ts';
import { openRig, renderImage } from './render-rig.ts';

const rig = openRig();
afterAll(() => rig.renderer.close());

/** The East Asian characters of a double-byte encoding in these ranges of lead and trail bytes. */
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
/** The fonts from npm lack this many characters. They are rare, and are drawn as boxes with their codes. */
const LACKING = 21;

it.each([
  ['GB 2312', 'gbk', [0xb0, 0xf7], [0xa1, 0xfe], 6763],
  ['Big5, first half of level 1', 'big5', [0xa4, 0xc5], [0x40, 0x7e], 2142],
  ['Big5, second half of level 1', 'big5', [0xa4, 0xc5], [0xa1, 0xfe], 3196],
  ['JIS X 0208', 'euc-jp', [0xa4, 0xf4], [0xa1, 0xfe], 6500],
  ['KS X 1001', 'euc-kr', [0xb0, 0xc8], [0xa1, 0xfe], 2350],
])('has a glyph for each character of %s, except for a few rare ones', (_, encoding, leads, trails, least) => {
  const characters = charactersOf(encoding, leads, trails);
  expect(characters.length).toBeGreaterThanOrEqual(least);
  const lacking = characters.filter((character) => glyphs.glyph(character.codePointAt(0) ?? 0) === undefined);
  expect(lacking.length, lacking.join('')).toBeLessThanOrEqual(LACKING);
});

const { lettering } = loadSceneAssets();

it.each([
  ['Arabic', 'ثعلب في الغابة', ''],
  ['Hebrew', 'שועל ביער, 2', ''],
  ['Devanagari', 'जंगल में लोमड़ी।', ''],
  ['Thai', 'จิ้งจอกในป่า!', ''],
  ['Georgian, which the fonts lack', 'ქართული ლომი', ''],
  ['Tamil, which the fonts lack', 'பூனை', ''],
  ['Arabic next to Latin', 'svc ثعلب fox', 'svc fox'],
  ['Greek', 'αλεπού', 'αλεπού'],
  ['marks alone', '?!', '?!'],
  ['an emoji of several signs', '👩🏽‍⚕️ and 👨‍🌾', '👩🏽‍⚕️ and 👨‍🌾'],
  ['a flag', '🇫🇷 flag', 'FR flag'],
  ['an emoji without a picture', 'a \u{1faff} cat', 'a cat'],
])('shows in a caption only the characters that it can draw: %s', (_, prompt, shown) => {
  expect(lettering.visible(prompt)).toBe(shown);
});

it('draws an emoji of a caption in its colors', () => {
  const line = { x: 4, baseline: 50, size: 48, colour: 0x102030 };
  expect(lettering.draw('🦊', line)).toContain('fill="#ff822d"');
  // The sequence is one figure, not a man and a sheaf, and not a box.
  expect(lettering.measure('👨‍🌾', 48)).toBe(lettering.measure('🧑‍🌾', 48));
  expect(lettering.draw('💙', line)).not.toBe(lettering.draw('💚', line));
});

/** The brightness of a picture's lower right corner, divided by the brightness of the area above it. */
async function brightness(prompt: string): Promise<number> {
  const picture = await renderImage(rig, { prompt, seed: 5 });
  const mean = async (top: number) => {
    const part = await sharp(picture).extract({ left: 700, top, width: 300, height: 30 }).toBuffer();
    return (await sharp(part).stats()).channels[1]?.mean ?? 0;
  };
  return (await mean(985)) / (await mean(850));
}

it('draws no dark strip for a caption if it can draw none of its characters', async () => {
  expect(await brightness('cat')).toBeLessThan(0.6);
  for (const prompt of ['قطة', 'ლომი']) {
    expect([prompt, (await brightness(prompt)) > 0.6]).toEqual([prompt, true]);
  }
});

it.each([
  ...HOSTILE_PROMPTS,
  ['2,400 characters without a space', 'x'.repeat(2400)],
  ['controls', '\u0000\u0007a\u200b\u202eb\uffff'],
  ['markup and shell', '<svg onload=x> $(rm -rf /) %s \' " ; `id` [in][out]scale=1:1'],
  ['no characters', ''],
])('draws a whole image for a prompt of %s', async (_, prompt) => {
  const { channels } = await sharp(await renderImage(rig, { prompt }), { failOn: 'warning' }).stats();
  expect(channels).toHaveLength(3);
});

it('draws the same image in two renders of a prompt with Japanese and rare characters', async () => {
  const prompt = '東京の夜 こんにちは 𝔘';
  const [one, other] = [await renderImage(rig, { prompt }), await renderImage(rig, { prompt })];
  expect(createHash('sha256').update(other).digest('hex')).toBe(createHash('sha256').update(one).digest('hex'));
});
