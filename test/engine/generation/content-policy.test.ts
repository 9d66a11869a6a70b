import { readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { packageDataFolder } from '../../../src/base/package/package-folder.ts';
import { ContentPolicy } from '../../../src/engine/generation/content-policy.ts';
import { ANY_CHARACTER } from '../../support/any-character.ts';

const list: Record<string, { reason: string; words: string[] }> = JSON.parse(
  readFileSync(path.join(packageDataFolder(), 'policy/blocked-words.json'), 'utf8'),
);
const published = Object.values(list).flatMap(({ reason, words }) => words.map((word) => ({ word, reason })));

it.each(published)('blocks $word because of $reason [R189]', ({ word, reason }) => {
  const policy = new ContentPolicy();
  expect(policy.findBlocked(`a song, ${word}, slow`)).toEqual({ word, reason });
  expect(policy.findBlocked(word.toUpperCase())).toEqual({ word, reason });
});

it.each([
  ['DEEPFAKE!', 'deepfake'],
  ['a déepfâke ballad', 'deepfake'],
  ['Taylor\nSwift', 'taylor swift'],
  ['taylor-swift', 'taylor swift'],
  ['ＤＥＥＰＦＡＫＥ', 'deepfake'],
  ['Beyoncé Knowles', 'beyonce knowles'],
])('blocks %j as %s despite letter case, diacritics and punctuation [R189]', (text, word) => {
  expect(new ContentPolicy().findBlocked(text)?.word).toBe(word);
});

it.each([
  ['sex with minors', 'minors'],
  ['a song involving minors', 'involving minors'],
  ['sexual songs about children', 'sexual song about child'],
  ['kids having sex', 'kid having sex'],
  ['pipe bombs', 'pipe bomb'],
])('blocks the plural in %j as %s [R189]', (text, word) => {
  expect(new ContentPolicy().findBlocked(text)?.word).toBe(word);
});

it.each([
  '',
  'a nocturne in A minor',
  'sad piano, C# minor, slow',
  'minor key, then major',
  'a summer song about two old friends',
  'deepfakery is another word',
  'Taylor sings, and later a swift flies by',
  'she was the bomb at the party',
  'a lullaby for a child',
  '東京の夜、雨の歌',
])('allows the text %j [R189]', (text) => {
  expect(new ContentPolicy().findBlocked(text)).toBeUndefined();
});

it('finds a blocked word after any text', () => {
  const policy = new ContentPolicy();
  fc.assert(
    fc.property(fc.string({ unit: ANY_CHARACTER }), (text) => {
      expect(policy.findBlocked(`${text} deepfake`)?.word).toBeDefined();
    }),
  );
});
