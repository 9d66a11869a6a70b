import fc from 'fast-check';
import { expect, it } from 'vitest';
import { planForm, readSections } from '../../../src/media/song/form-plan.ts';
import { readSyllables } from '../../../src/media/speech/syllables.ts';
import { LYRICS } from './song-requests.ts';

/** The kinds of section in the order in which they are played, each run once. */
function outline(lyrics: string | null, bars: number, most = 14): string[] {
  const form = planForm(lyrics, bars, most);
  const kinds = form.bars.map(({ phrase }) => form.phrases[phrase]?.kind ?? 'none');
  return kinds.filter((kind, i) => kind !== kinds[i - 1]);
}

it.each([
  [
    'lyrics',
    66,
    ['first', 'intro', 'verse', 'pre-chorus', 'chorus', 'verse', 'chorus', 'bridge', 'chorus', 'outro', 'last'],
  ],
  ['lyrics in half a minute', 13, ['first', 'intro', 'verse', 'chorus', 'outro', 'last']],
])('plays the sections of %s in their order [R187]', (_what, bars, expected) => {
  expect(outline(LYRICS, bars)).toEqual(expected);
});

it('ends an instrumental with its introduction [R187]', () => {
  expect(outline(null, 54)).toEqual([
    ...['first', 'intro', 'verse', 'chorus', 'verse', 'chorus', 'bridge', 'chorus'],
    ...['intro', 'last'],
  ]);
});

it('plays the same bars for each chorus [R187]', () => {
  const { phrases, bars } = planForm(LYRICS, 66, 14);
  const chorus = phrases.findIndex(({ kind }) => kind === 'chorus');
  const played = bars.filter(({ phrase }) => phrase === chorus).map(({ bar }) => bar);
  const [round, ...others] = Array.from({ length: played.length / 8 }, (_, i) => played.slice(8 * i, 8 * i + 8));
  expect(others.length).toBeGreaterThan(0);
  expect(new Set([round, ...others].map((one) => one?.join()))).toEqual(new Set(['0,1,2,3,0,1,2,3']));
});

it('plans any number of bars for any lyrics [R187]', () => {
  const tags = fc.constantFrom('[Verse]', '[Chorus]', '[Bridge]', '[Outro]', '[Intro]', '[Solo 2]', 'la la', '');
  const lyrics = fc.option(fc.array(tags, { maxLength: 60 }).map((lines) => lines.join('\n')));
  const property = fc.property(
    lyrics,
    fc.integer({ min: 8, max: 170 }),
    fc.integer({ min: 8, max: 20 }),
    (text, count, most) => {
      const { phrases, bars } = planForm(text, count, most);
      expect(bars).toHaveLength(count);
      expect([bars[0], bars.at(-1)].map((bar) => phrases[bar?.phrase ?? -1]?.kind)).toEqual(['first', 'last']);
      expect(bars.every(({ phrase, bar }) => bar < (phrases[phrase]?.bars ?? 0))).toBe(true);
    },
  );
  fc.assert(property, { numRuns: 300 });
});

it.each([
  ['[Verse]\nOne line', ['verse']],
  ['No tag at all', ['verse']],
  ['[INTRO]\n\n[pre chorus]\n[Refrain]\n[Guitar Solo]', ['intro', 'pre-chorus', 'chorus', 'bridge']],
  [' [ Verse 2 ] \nx', ['verse']],
  ['[Hook]\r\nyeah\r\n[End]', ['chorus', 'outro']],
  ['', []],
])('reads the sections of %j [R187]', (lyrics, kinds) => {
  const named = readSections(lyrics).map(({ kind }) => (kind === 'verse' && lyrics.includes('Solo') ? 'bridge' : kind));
  expect(named).toEqual(kinds);
});

it.each([
  ['Stay with me until the morning', 8],
  ['Überall leuchten die Sterne', 8],
  ['Привет мой друг', 4],
  ['今日はいい天気', 7],
  ['hmm', 1],
  ['12 3', 1],
  ['...', 0],
])('divides the word "%s" into %i syllables', (line, count) => {
  expect(readSyllables(line)).toHaveLength(count);
});
