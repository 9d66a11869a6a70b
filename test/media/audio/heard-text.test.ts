import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { inventTranscript, TRANSCRIPT_LANGUAGES, transcriptLanguage } from '../../../src/service/api/audio.ts';

const hash = (name: string) => createHash('sha256').update(name).digest('hex');
const words = (text: string) => text.split(' ').length;

it.each(TRANSCRIPT_LANGUAGES)('transcribes %s, two and a half words for each second [I069]', (language) => {
  const lengths = [0, 0.4, 3, 30, 600].map((s) => words(inventTranscript(hash('a'), s, language)));
  expect(lengths).toEqual([1, 1, 8, 75, 1500]);
  expect(inventTranscript(hash('a'), 60, language)).toMatch(/^\p{Lu}[\p{L}\p{P} ]+\.$/u);
});

it('invents the same transcript for equal audio, and another one for other audio [I069]', () => {
  const texts = ['a', 'a', 'b'].map((name) => inventTranscript(hash(name), 20));
  expect(texts[0]).toBe(texts[1]);
  expect(texts[0]).not.toBe(texts[2]);
});

it('invents a transcript in each language [I069]', () => {
  const texts = TRANSCRIPT_LANGUAGES.map((language) => inventTranscript(hash('a'), 20, language));
  expect(new Set(texts).size).toBe(TRANSCRIPT_LANGUAGES.length);
});

it('limits a transcript to twenty thousand words, whatever length a file claims [I069]', () => {
  expect(words(inventTranscript(hash('a'), 1e9))).toBe(20_000);
});

it.each([
  ['de', 'de'],
  ['DE-at', 'de'],
  [' fr ', 'fr'],
  ['xx', undefined],
  ['', undefined],
  ['english', undefined],
])('treats the language "%s" as %s [I181]', (hint, language) => {
  expect(transcriptLanguage(hint)).toBe(language);
});
