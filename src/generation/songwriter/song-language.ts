import type { Language, SongBanks } from './song-banks.ts';

/** The language of a song's words: one that there are lyrics in, or undefined for English. */
export interface SungIn {
  language: Language | undefined;
  /** Whether another language was asked for than there are lyrics in. */
  isFallback: boolean;
}

const ENGLISH: SungIn = { language: undefined, isFallback: false };
const FALLBACK: SungIn = { language: undefined, isFallback: true };

/** Words after which a language is one to sing in, whatever the song is about. */
const SUNG_IN = new Set(['in', 'auf', 'en', 'em']);
/** What a song is about names no language: a song about a German shepherd is an English one. */
const ABOUT = 'about';
/** With these a language is an instrument. */
const PLAYED = new Set(['horn', 'horns', 'guitar', 'guitars', 'harp', 'accordion']);
/** A text is in the language of so many of its words, in one of so many. */
const EVERYDAY_SHARE = 4;

/** The language that the style names, or the prompt, or that either is written in [I224]. */
export function askedLanguage({ style, prompt }: { style: string; prompt: string }, banks: SongBanks): SungIn {
  const texts = [style, prompt];
  return (
    firstOf(texts, (text) => namedLanguage(wordsOf(text), banks)) ??
    firstOf(texts, (text) => writtenLanguage(text, banks)) ??
    ENGLISH
  );
}

/** The language that lyrics are written in, of those that are known. */
export function languageOfLyrics(lyrics: string, banks: SongBanks): Language | undefined {
  return writtenLanguage(lyrics, banks)?.language;
}

/** The words of a text in small letters. */
function wordsOf(text: string): string[] {
  return text
    .toLowerCase()
    .split(/[^\p{L}\p{M}']+/u)
    .filter((word) => word !== '');
}

function namedLanguage(words: readonly string[], { languages, otherLanguages }: SongBanks): SungIn | undefined {
  const about = words.indexOf(ABOUT);
  for (const [at, word] of words.entries()) {
    const isAsked = SUNG_IN.has(words[at - 1] ?? '') || about === -1 || at < about;
    if (!isAsked || PLAYED.has(words[at + 1] ?? '')) continue;
    if (word === 'english') return ENGLISH;
    const language = languages.find(({ names }) => names.has(word));
    if (language) return { language, isFallback: false };
    if (otherLanguages.has(word)) return FALLBACK;
  }
  return undefined;
}

function writtenLanguage(text: string, banks: SongBanks): SungIn | undefined {
  const script = scriptOf(text);
  if (script === 'kana')
    return { language: banks.languages.find(({ name }) => name === 'Japanese'), isFallback: false };
  if (script === 'other') return FALLBACK;
  const words = wordsOf(text);
  const counts = banks.languages.map((language) => ({
    language,
    n: words.filter((word) => language.words.has(word)).length,
  }));
  const most = counts.reduce((best, each) => (each.n > best.n ? each : best), { language: undefined, n: 0 } as Count);
  return most.language && most.n * EVERYDAY_SHARE >= words.length
    ? { language: most.language, isFallback: false }
    : undefined;
}

interface Count {
  language: Language | undefined;
  n: number;
}

function firstOf<T>(texts: readonly string[], look: (text: string) => T | undefined): T | undefined {
  for (const text of texts) {
    const found = look(text);
    if (found) return found;
  }
  return undefined;
}

/** Japanese is known by its kana; a text of which more than half is in other letters is in no language known here. */
function scriptOf(text: string): 'kana' | 'latin' | 'other' {
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  const latin = text.match(/\p{Script=Latin}/gu)?.length ?? 0;
  if (latin * 2 >= letters) return 'latin';
  return /[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text) ? 'kana' : 'other';
}
