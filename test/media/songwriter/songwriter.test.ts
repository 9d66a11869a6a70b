import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ContentPolicy } from '../../../src/engine/generation/content-policy.ts';
import { type SongBrief, Songwriter } from '../../../src/media/songwriter/songwriter.ts';
import { ANY_CHARACTER } from '../../support/any-character.ts';

const songwriter = new Songwriter();

function song(order: Partial<SongBrief>) {
  return songwriter.writeSong({ seconds: 60, instrumental: false, seed: 7, ...order });
}

function sungLines(lyrics: string | null): string[] {
  return (lyrics ?? '').split('\n').filter((line) => line !== '' && !line.startsWith('['));
}

function choruses(lyrics: string | null): string[] {
  return (lyrics ?? '').split('\n\n').filter((section) => section.startsWith('[Chorus]\n'));
}

const PROMPTS = [
  'an upbeat pop song about my cat',
  'a sad piano ballad about the last lighthouse keeper',
  'epic metal anthem of dragons',
  'a lullaby for the moon',
  'a dark synthwave song about a stranger in the rain',
  'a love song for an old bicycle',
];

it.each([
  ['an upbeat pop song about my cat', 'my cat'],
  ['a sad piano ballad about the last lighthouse keeper', 'lighthouse keeper'],
  ['a love song for an old bicycle', 'old bicycle'],
  ['東京の夜', '東京の夜'],
  ['Ein Lied über die Eisenbahn bei Nacht', 'Eisenbahn'],
  ['una canción sobre el ferrocarril', 'ferrocarril'],
  ['eine Schlagerballade über Heimweh', 'Heimweh'],
  ['una canción de cuna para mi hija', 'hija'],
])('writes for the prompt %j lyrics that mention %j [R185]', (prompt, subject) => {
  expect(song({ prompt }).lyrics?.toLowerCase()).toContain(subject.toLowerCase());
});

it.each([30, 60, 90, 120, 150, 180, 210, 240])(
  'writes a line of lyrics for every three to four seconds, on average, of a song of %d seconds [R184 R187]',
  (seconds) => {
    for (const seed of [1, 2, 3, 4, 5]) {
      const { lyrics } = song({ style: 'folk, slow', seconds, seed });
      const lines = sungLines(lyrics);
      expect(seconds / lines.length).toBeGreaterThan(2.9);
      expect(seconds / lines.length).toBeLessThan(4.1);
      expect(lines.join('')).not.toMatch(/[{}[\]]/);
    }
  },
);

it.each([60, 120, 240])('repeats the chorus word for word in a song of %d seconds [R187]', (seconds) => {
  const sections = choruses(song({ prompt: 'a song about the sea', seconds }).lyrics);
  expect(sections.length).toBeGreaterThan(1);
  expect(new Set(sections).size).toBe(1);
});

it('repeats no line of a verse in the longest song', () => {
  const { lyrics } = song({ prompt: 'a song about the sea', seconds: 240 });
  const verses = (lyrics ?? '').split('\n\n').filter((section) => section.startsWith('[Verse]'));
  const lines = verses.flatMap(sungLines);
  expect(new Set(lines).size).toBe(lines.length);
});

it.each([
  '[Verse]\nOne\n\n[Chorus]\nTwo',
  'One\n[chorus]\nTwo',
  '[Outro]',
  '[Verse 1]\nOne\n[Chorus 2]\nTwo',
  '[Hook]\nOne',
  '  [Guitar solo: slow]  \r\nOne',
  '[Verse 1] One',
  '[]\nOne',
  '[Verse\nOne',
  '[[double]]\nOne',
])('does not change given lyrics in which a line begins with a bracket: %j', (lyrics) => {
  expect(song({ lyrics }).lyrics).toBe(lyrics);
});

it.each([
  ['[Verse 1]\nthe tide is low', 'The Tide Is Low'],
  ['[Hook] the tide is low\n[Hook] the moon', 'The Tide Is Low'],
  ['[Chorus]\n[Chorus]\nthe moon', 'The Moon'],
  ['[[double]]\nthe moon', 'The Moon'],
  ['[]\nthe moon', 'The Moon'],
  ['[Verse\nthe moon', 'The Moon'],
])('takes the title of a song from a line of its lyrics %j', (lyrics, title) => {
  expect(song({ lyrics }).title).toBe(title);
});

it.each([
  [{ prompt: 'a fast punk song' }, /punk, fast \d+ bpm/],
  [{ prompt: 'a jazz tune at 92 bpm with trumpet' }, /jazz, mid-tempo 92 bpm, .*trumpet/],
  [{ prompt: 'a ballad sung by a woman' }, /female vocals, .*slow \d+ bpm/],
  [{ prompt: 'ein Lied' }, /^German/],
  [{ lyrics: 'Ich habe dich nicht vergessen\nund du bist nicht bei mir' }, /^German, /],
])('writes a song in the style that %j names', (order, style) => {
  expect(song(order).style).toMatch(style);
});

it.each(PROMPTS)('writes for the prompt %j no lyrics that the content policy blocks', (prompt) => {
  const policy = new ContentPolicy();
  for (const seed of [1, 2, 3]) {
    const { title, style, lyrics } = song({ prompt, seed, seconds: 240 });
    expect(policy.findBlocked(`${title}\n${style}\n${lyrics}`)).toBeUndefined();
  }
});

it('writes title, style and lyrics of a song for blank texts', () => {
  const { isWritten } = song({ prompt: ' ', style: '', lyrics: '\n', title: '' });
  expect(isWritten).toEqual({ title: true, style: true, lyrics: true });
});

it('writes a song for any text in any script', () => {
  const text = fc.option(fc.string({ unit: ANY_CHARACTER }), { nil: undefined });
  fc.assert(
    fc.property(text, text, text, fc.nat(4_294_967_295), (prompt, style, lyrics, seed) => {
      const written = song({ prompt, style, lyrics, seed });
      expect(written.title).not.toBe('');
      expect(written.style).not.toBe('');
      expect(written.lyrics).toMatch(/\S/);
    }),
  );
});
