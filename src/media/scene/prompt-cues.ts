import { isUnspaced, lengthOf, type PromptWord, type Script } from './prompt-words.ts';
import type { WordBook } from './word-book.ts';
import { formsOf, saysSeveral } from './word-stem.ts';

/** A place in a prompt where something is named. */
export interface Cue {
  /** What the word names, as in the word book. */
  names: readonly string[];
  /** From its first place to behind its last, in words, or in letters where words are not spaced. */
  from: number;
  to: number;
  /** Whether the book has the word as it is written. */
  exact: boolean;
  /** Inflected so that there are several. */
  several: boolean;
  language: string;
}

const LONGEST_PHRASE = 3;
const LONGEST_UNSPACED = 14;
const THAI_VOWEL_BEHIND = /^[\u0e30-\u0e3a\u0e45\u0e47-\u0e4e]/u;
const KANA = /^[ぁ-ヿ]$/u;
/** Shorter words of English are not understood among those of other languages. */
const SHORTEST_BORROWED = 3;

/** What a prompt names, in its order. Longer names go before shorter ones: `polar bear` is no bear. */
export function cuesOf(book: WordBook, words: readonly PromptWord[], languageOf: (script: Script) => string): Cue[] {
  const cues: Cue[] = [];
  for (let at = 0; at < words.length; ) {
    const word = words[at] as PromptWord;
    const language = languageOf(word.script);
    const found = isUnspaced(word.script)
      ? { cues: cuesWithin(book, word, language), taken: 1 }
      : cueAt(book, words.slice(at, at + LONGEST_PHRASE), language);
    cues.push(...found.cues);
    at += found.taken;
  }
  return cues;
}

function cueAt(book: WordBook, words: readonly PromptWord[], language: string): { cues: Cue[]; taken: number } {
  const first = words[0] as PromptWord;
  for (let taken = words.length; taken > 1; taken--) {
    const last = words[taken - 1] as PromptWord;
    if (last.at !== first.at + taken - 1 || last.script !== first.script) continue;
    const phrase = words.slice(0, taken).map(({ text }) => text);
    const exact = book.names(phrase.join(' '), language);
    const names = exact.length > 0 ? exact : book.names(phrase.join(' ').replace(/s$/u, ''), language);
    const place = { from: first.at, to: last.at + 1, exact: true, several: exact.length === 0, language };
    if (names.length > 0) return { cues: [{ ...place, names }], taken };
  }
  const place = { from: first.at, to: first.at + lengthOf(first) };
  return { cues: singleWord(book, first.text, language).map((found) => ({ ...place, ...found })), taken: 1 };
}

/** As it is written, inflected, and as English. */
function singleWord(book: WordBook, text: string, language: string): Omit<Cue, 'from' | 'to'>[] {
  const forms = formsOf(text, language);
  for (const exact of [true, false]) {
    for (const form of forms) {
      const names = exact ? book.names(form, language) : book.inflected(form, language);
      const several = !names.includes(form) && saysSeveral(form, language);
      if (names.length > 0) return [{ names, exact, several, language }];
    }
  }
  if (language === 'en' || text.length < SHORTEST_BORROWED) return [];
  // Small words and numbers are understood in the language of the prompt only.
  const names = book.inflected(text, 'en').filter((name) => !/^[pn]\./.test(name));
  return names.length > 0 ? [{ names, exact: false, several: false, language: 'en' }] : [];
}

function cuesWithin(book: WordBook, { text, at: begins }: PromptWord, language: string): Cue[] {
  const cues: Cue[] = [];
  for (let at = 0; at < text.length; ) {
    const found = longestAt(book, text, { at, language });
    const from = begins + at;
    if (found) cues.push({ ...found, from, to: from + found.length, exact: true, several: false, language });
    at += found?.length ?? 1;
  }
  return cues;
}

function longestAt(book: WordBook, text: string, { at, language }: { at: number; language: string }) {
  for (let length = Math.min(LONGEST_UNSPACED, text.length - at); length > 0; length--) {
    const part = text.slice(at, at + length);
    // No syllable is cut, and no kana is a word by itself.
    if (KANA.test(part) || THAI_VOWEL_BEHIND.test(text.slice(at + length))) continue;
    const names = book.names(part, language);
    if (names.length > 0) return { names, length };
  }
  return undefined;
}
