import type { SeededPicker } from '../../base/random.ts';
import { findTopic, scanTextWords as scanWords, type TextWord } from '../text/topic.ts';
import {
  type LanguageBank,
  type LyricBank,
  linesForMood,
  listContainsWord,
  mostFrequent,
  type RecognitionWords,
  type SongMood,
  type SongWordBanks,
  type StyleBank,
} from './song-banks.ts';
import { ENGLISH, languageOfText, MAX_WORDS_PER_COMMON_WORD, writingScriptOf } from './song-language.ts';

export interface SongTheme {
  mood: SongMood;
  subject: string;
  words: readonly TextWord[];
  genre: string | undefined;
}

/** Names of genres with more letters, or non-ASCII ones, count inside words too, such as `metal` in `Metallied`. */
const SHORTEST_PART = 3;
const MAX_NAME = 24;

export function findSongTheme(
  { prompt, style, lyrics }: Record<'prompt' | 'style' | 'lyrics', string>,
  {
    banks,
    sung,
    lines,
    name,
  }: { banks: SongWordBanks; sung: LanguageBank | undefined; lines: LyricBank; name: string },
  picker: SeededPicker,
): SongTheme {
  const { moods, notSung } = banks.styles;
  const words = [prompt, style, lyrics].flatMap(scanWords);
  const text = [prompt, style].join(' ');
  const genre = namedIn(banks.styles.genres, text, words);
  const mood = (namedIn(moods, text, words) ?? picker.one(moodsOf(genre, banks.styles))) as SongMood;
  const english = () => findTopic(scanWords(prompt), new Set(notSung.split(' ')))?.said;
  const named = () => (sung ? (foreignName(prompt, banks) ?? topicIn(sung, prompt, banks)) : english());
  const isOwn = (languageOfText(prompt, banks) ?? ENGLISH) === name;
  const subject = (isOwn && named()) || picker.one(linesForMood(lines.fallbackSubjects, mood));
  return { mood, words, genre, subject };
}

/** Searches the whole text for the words of other languages, because a text in them may have no spaces. */
function namedIn(
  table: Readonly<Record<string, RecognitionWords>>,
  text: string,
  words: readonly TextWord[],
): string | undefined {
  const read = text.toLowerCase();
  return mostFrequent(Object.keys(table), (name) => {
    const { match = '', elsewhere = '' } = table[name] ?? {};
    const foreign = termsOf(elsewhere).filter((term) => read.includes(term)).length;
    return foreign + words.filter(({ lower }) => listContainsWord(match, lower)).length;
  });
}

function termsOf(listed: string): string[] {
  return listed.split(' ').flatMap((term) => (term === '' ? [] : [term.replaceAll('_', ' ')]));
}

function moodsOf(genre: string | undefined, { moods, genresByMood }: StyleBank): string[] {
  const suited = Object.entries(genresByMood).flatMap(([mood, suiting]) =>
    suiting.includes(genre ?? '') ? [mood] : [],
  );
  return suited.length > 0 ? suited : Object.keys(moods);
}

function isOfGenre(word: string, { genres, notSung }: StyleBank): boolean {
  const lower = word.toLowerCase();
  const terms = Object.values(genres).flatMap(({ match, elsewhere = '' }) => [
    ...termsOf(elsewhere),
    ...match.split(' '),
  ]);
  const isPart = (term: string) => term.length > SHORTEST_PART || /\P{ASCII}/u.test(term);
  const says = (term: string) => (isPart(term) && lower.includes(term)) || ` ${term} `.includes(` ${lower} `);
  return listContainsWord(notSung, lower) || terms.some(says);
}

function topicIn(
  { words: everyday, about }: LanguageBank,
  prompt: string,
  { styles }: SongWordBanks,
): string | undefined {
  const isKana = writingScriptOf(prompt) === 'kana';
  const written = /[\p{Script=Han}\p{Script=Katakana}\u30fc]{1,24}/gu;
  const words = isKana ? (prompt.match(written) ?? []) : prompt.split(/[^\p{L}\p{M}'-]+/u);
  const isSmall = (word: string) => listContainsWord(everyday, word.toLowerCase());
  const small = words.filter(isSmall).length;
  if (!isKana && (small === 0 || small * MAX_WORDS_PER_COMMON_WORD < words.length)) return undefined;
  const isNoun = (word: string) => word.length <= MAX_NAME && !isSmall(word) && !isOfGenre(word, styles);
  const marker = words.findIndex((word) => listContainsWord(about, word.toLowerCase()));
  const longest = (from: number) =>
    words
      .slice(from)
      .filter(isNoun)
      .sort((a, b) => b.length - a.length)[0];
  return longest(marker + 1) || longest(0) || undefined;
}

/** A short prompt in kana is the subject of the song, unless it names a genre or contains `歌` or `曲` (song). */
function foreignName(prompt: string, { styles }: SongWordBanks): string | undefined {
  const name = prompt.trim();
  const isForeign = /[\u0250-\u2000\u3040-\ud7ff].*[\u0250-\u2000\u3040-\ud7ff]/.test(name);
  const isName = isForeign && name.length <= MAX_NAME && !name.includes('\n');
  const describes = /[\u6b4c\u66f2]/u.test(name) || isOfGenre(name, styles);
  return isName && writingScriptOf(name) === 'kana' && !describes ? name : undefined;
}
