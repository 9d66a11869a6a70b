import fc from 'fast-check';
import { expect, it } from 'vitest';
import { hashText, SeededRandom } from '../../../src/media/paint/seeded-random.ts';
import { chordAt, composePhrase, composeTune, framePhrase } from '../../../src/media/song/compose-phrase.ts';
import { planForm, readMusicData } from '../../../src/media/song/form-plan.ts';
import { identifySong, prepareTake, readStyle } from '../../../src/media/song/song-identity.ts';
import { ANY_CHARACTER } from '../../support/any-character.ts';
import { songRequest } from './song-requests.ts';

const data = readMusicData();
const read = (style: string) => readStyle(style, data, new SeededRandom(hashText('test')));

/** The chorus of a take: its chords, its tune, and what is played. */
function chorusOf(changes: Parameters<typeof songRequest>[0]) {
  const request = songRequest(changes);
  const song = identifySong(request, data);
  const phrase = planForm(request.lyrics, 40, 14).phrases.find(({ kind }) => kind === 'chorus');
  if (!phrase) throw new Error('no chorus');
  const frame = framePhrase(song, prepareTake(song, request.seed), phrase);
  const chords = [0, 1, 2, 3].map((bar) => chordAt(frame, bar % phrase.bars, 0));
  return {
    song,
    chords,
    tune: composeTune(frame, data.harmony),
    score: composePhrase(frame, data.harmony),
  };
}

it('plays two takes with the same key, tempo, chords and tune, but differently', () => {
  const [one, other] = [chorusOf({ seed: 1 }), chorusOf({ seed: 2 })];
  expect(other.song).toEqual(one.song);
  expect(other.chords).toEqual(one.chords);
  expect(other.tune).toEqual(one.tune);
  expect(other.score).not.toEqual(one.score);
});

it('renders another song for another title, style or text', () => {
  const songs = [{}, { title: 'Other' }, { style: 'jazz' }, { lyrics: '[Chorus]\nla la' }].map(chorusOf);
  expect(new Set(songs.map(({ tune }) => JSON.stringify(tune))).size).toBe(4);
});

it('plays one note per syllable, and no voice in an instrumental [R187]', () => {
  const { score, tune, song } = chorusOf({});
  expect(score.sung.map(({ syllable }) => syllable)).toEqual(tune.map(({ syllable }) => syllable));
  expect(score.notes.some(({ role }) => role === 'lead')).toBe(false);
  const instrumental = chorusOf({ lyrics: null });
  expect(instrumental.score.sung).toEqual([]);
  expect(instrumental.song.singer).toBeNull();
  expect(song.singer).toBe('alto');
});

it('composes playable notes for any title, style and lyrics [R187]', () => {
  const words = fc.string({ unit: ANY_CHARACTER, maxLength: 60 });
  const style = fc.oneof(
    words,
    fc.shuffledSubarray([...Object.keys(data.genres), '40 bpm', '3/4', 'slow']).map(String),
  );
  const lines = fc.array(fc.oneof(words, fc.constantFrom('[Chorus]', '[Bridge]', 'la '.repeat(200))), { maxLength: 8 });
  const property = fc.property(words, style, fc.option(lines), (title, styled, text) => {
    const request = songRequest({ title, style: styled, lyrics: text?.join('\n') ?? null });
    const song = identifySong(request, data);
    const take = prepareTake(song, request.seed);
    for (const phrase of planForm(request.lyrics, 20, 12).phrases) {
      const score = composePhrase(framePhrase(song, take, phrase), data.harmony);
      const played = [...score.notes, ...score.sung];
      const odd = played.filter(
        ({ at, length, pitch }) => !(at >= 0 && at < score.samples && length > 0 && pitch > 20 && pitch < 100),
      );
      expect(odd).toEqual([]);
    }
  });
  fc.assert(property, { numRuns: 100 });
});

it.each([
  ['waltz', 'fast waltz with accordion', { groove: 'waltz', tempo: [130, 156] }],
  ['a tempo in numbers', 'house, 124 bpm', { tempo: [124, 124] }],
  ['a mood', 'pop, sad', { mode: 'minor' }],
  ['a singer', 'soul, male vocals', { singer: 'tenor' }],
  ['no drums', 'rock without drums', { drums: false }],
  ['nothing', '', { drums: true }],
  ['words it does not know', 'zzz, qqq', { drums: true }],
])('recognizes %s in a style', (_what, style, expected) => {
  expect(read(style)).toMatchObject(expected);
});

it('uses the first genre of a style, and the longer of two overlapping genre names', () => {
  expect(read('indie rock, jazz').genre).toBe(data.genres.rock);
  expect(read('drum and bass').genre).toBe(data.genres['drum and bass']);
  expect(read('hard rock').genre).toBe(data.genres.metal);
});

it.each(Object.keys(data.genres))('defines every drum pattern and mode that genre %s names', (name) => {
  const genre = data.genres[name];
  expect(genre?.grooves.filter((groove) => !(groove in data.grooves))).toEqual([]);
  expect(genre?.modes.filter((mode) => !(mode in data.harmony.progressions))).toEqual([]);
});

it.each(Object.entries(data.grooves))('gives every drum pattern of %s the length of its bar', (_name, groove) => {
  const drums = [...Object.entries(groove.drums), ...Object.entries(groove.lift)];
  const patterns = [...groove.bass, ...groove.comp, ...drums.flatMap(([, choices]) => choices)];
  expect(patterns.filter((pattern) => pattern.length !== groove.steps)).toEqual([]);
  expect(drums.filter(([drum]) => !(drum in data.drums))).toEqual([]);
});

it('uses only existing modes and metres in genres', () => {
  const { modes, metres } = data.words;
  expect(Object.values(modes).filter((mode) => !(mode in data.harmony.modes))).toEqual([]);
  expect(Object.values(metres).filter((groove) => !(groove in data.grooves))).toEqual([]);
});
