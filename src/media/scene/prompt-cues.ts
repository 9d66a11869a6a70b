import type { WordBook } from './word-book.ts';
import { formsOf, saysSeveral } from './word-stem.ts';

export type Script = 'latin' | 'cyrillic' | 'greek' | 'arabic' | 'hebrew' | 'devanagari' | 'thai' | 'hangul' | 'han';

export interface PromptWord {
  text: string;
  script: Script;
  at: number;
}

/** Words on both sides of a punctuation mark never belong together. */
const MARK = 8;
const LETTERS: readonly (readonly [Script, RegExp])[] = [
  ['latin', /\p{Script=Latin}/u],
  ['cyrillic', /\p{Script=Cyrillic}/u],
  ['greek', /\p{Script=Greek}/u],
  ['arabic', /\p{Script=Arabic}/u],
  ['hebrew', /\p{Script=Hebrew}/u],
  ['devanagari', /\p{Script=Devanagari}/u],
  ['thai', /\p{Script=Thai}/u],
  ['hangul', /\p{Script=Hangul}/u],
  ['han', /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]/u],
];

function isUnspaced(script: Script): boolean {
  return script === 'han' || script === 'thai';
}

export function wordsOf(text: string): PromptWord[] {
  const words: PromptWord[] = [];
  let place = 0;
  let open: PromptWord | undefined;
  // Some programs write the Turkish dotted i as two characters.
  for (const letter of text.normalize('NFC').toLowerCase().replaceAll('i\u0307', 'i')) {
    const script = scriptOf(letter, open, words.at(-1)?.script);
    if (open && open.script !== script) {
      place += lengthOf(open);
      open = undefined;
    }
    if (open) open.text += letter;
    if (!script && !/\s/u.test(letter)) place += MARK;
    if (open || !script) continue;
    open = { text: letter, script, at: place };
    words.push(open);
  }
  return words;
}

function lengthOf({ text, script }: PromptWord): number {
  return isUnspaced(script) ? text.length : 1;
}

function scriptOf(letter: string, open: PromptWord | undefined, before: Script | undefined): Script | undefined {
  if (/[0-9]/.test(letter)) return open?.script ?? before ?? 'latin';
  if (open && /['’\p{M}-]/u.test(letter))
    return isUnspaced(open.script) && !/\p{M}/u.test(letter) ? undefined : open.script;
  return LETTERS.find(([, letters]) => letters.test(letter))?.[0];
}

export interface Cue {
  names: readonly string[];
  from: number;
  to: number;
  exact: boolean;
  several: boolean;
  language: string;
}

const LONGEST_PHRASE = 3;
const LONGEST_UNSPACED = 14;
const THAI_VOWEL_BEHIND = /^[\u0e30-\u0e3a\u0e45\u0e47-\u0e4e]/u;
const KANA = /^[ぁ-ヿ]$/u;
/** Shorter English words are ignored in other languages. */
const SHORTEST_BORROWED = 3;

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
    // A syllable must not be cut, and a single kana is not a word.
    if (KANA.test(part) || THAI_VOWEL_BEHIND.test(text.slice(at + length))) continue;
    const names = book.names(part, language);
    if (names.length > 0) return { names, length };
  }
  return undefined;
}
