import { listContainsWord, mostFrequent, type SongWordBanks } from './song-banks.ts';

export const ENGLISH = 'English';
export const OTHER_LANGUAGE = 'other';
/** After one of these words, the name of a language is that of the lyrics, not the subject. */
const SUNG_IN = 'in auf en em';
/** Before one of these words, the name of a language belongs to an instrument, such as a French horn. */
const PLAYED = 'horn horns guitar guitars harp accordion';
/** A letter that hardly any English word has, not even one such as `café`. */
const FOREIGN = /[^\p{ASCII}éèêïç’]/u;
export const MAX_WORDS_PER_COMMON_WORD = 4;

/** The language that the style or the prompt names, or in which it is written. Undefined if unknown [I224]. */
export function requestedLanguage(texts: readonly string[], banks: SongWordBanks): string | undefined {
  const named = texts.map((text) => namedLanguage(wordsOf(text), banks));
  return [...named, ...texts.map((text) => languageOfText(text, banks))].find((found) => found !== undefined);
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{M}']+/gu) ?? [];
}

function namedLanguage(words: readonly string[], { languages: { languages, otherNames } }: SongWordBanks) {
  // Words after "about" name the subject, such as a German shepherd.
  const about = words.indexOf('about');
  const asked = words.filter((_, at) => {
    const isAsked = listContainsWord(SUNG_IN, words[at - 1] ?? '-') || about === -1 || at < about;
    return isAsked && !listContainsWord(PLAYED, words[at + 1] ?? '-');
  });
  const languageOf = (word: string) => {
    if (word === 'english') return ENGLISH;
    const named = Object.entries(languages).find(([, { names }]) => listContainsWord(names, word));
    return named?.[0] ?? (listContainsWord(otherNames, word) ? OTHER_LANGUAGE : undefined);
  };
  return asked.map(languageOf).find((language) => language !== undefined);
}

export function languageOfText(
  text: string,
  { languages: { languages, otherWords, otherSongs, englishWords } }: SongWordBanks,
): string | undefined {
  const script = writingScriptOf(text);
  if (script !== 'latin') return script === 'kana' ? 'Japanese' : OTHER_LANGUAGE;
  const words = wordsOf(text);
  const countOf = (name: string) =>
    words.filter((word) => listContainsWord(languages[name]?.words ?? otherWords, word)).length;
  const most = mostFrequent([...Object.keys(languages), OTHER_LANGUAGE], countOf);
  if (most !== undefined && countOf(most) >= words.length / MAX_WORDS_PER_COMMON_WORD) return most;
  const isForeign =
    words.some((word) => FOREIGN.test(word)) && !words.some((word) => listContainsWord(englishWords, word));
  return isForeign || words.some((word) => listContainsWord(otherSongs, word)) ? OTHER_LANGUAGE : undefined;
}

export function writingScriptOf(text: string): 'kana' | 'latin' | 'other' {
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  const latin = text.match(/\p{Script=Latin}/gu)?.length ?? 0;
  if (latin * 2 >= letters) return 'latin';
  return /[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text) ? 'kana' : 'other';
}
