import { isUnspaced, lengthOf, type PromptWord, type Script } from './prompt-words.ts';
import type { WordBook } from './word-book.ts';
import { bared, says } from './word-stem.ts';

/** A place in a prompt where something is named. */
export interface Cue {
  /** What the word names, as in the word book. */
  names: readonly string[];
  /** From its first place to behind its last, in words, or in letters where words are not spaced. */
  from: number;
  to: number;
  /** Inflected so that there are several. */
  several: boolean;
  /** The word itself says that it is missing, as in `treeless`. */
  missing: boolean;
  language: string;
}

const LONGEST_PHRASE = 3;
const LONGEST_UNSPACED = 14;
/** Parts of compounds that are looked up have so many letters at least. */
const SHORTEST_PART = 4;
const COMPOUNDING = new Set(['de', 'nl', 'sv']);
const THAI_VOWEL_BEHIND = /^[\u0e30-\u0e3a\u0e45\u0e47-\u0e4e]/u;
const KANA = /[ぁ-ヿ]/u;
const KATAKANA = /[ァ-ヿ]/u;

/** What a prompt names, in its order. Longer names go before shorter ones: `polar bear` is no bear. */
export function cuesOf(book: WordBook, words: readonly PromptWord[], languages: Map<Script, string>): Cue[] {
  const cues: Cue[] = [];
  for (let at = 0; at < words.length; ) {
    const word = words[at] as PromptWord;
    const language = languages.get(word.script) ?? 'en';
    if (isUnspaced(word.script)) {
      cues.push(...cuesWithin(book, word, language));
      at++;
      continue;
    }
    const { cue, taken } = cueAt(book, { words, at, language });
    if (cue) cues.push(cue);
    at += taken;
  }
  return cues;
}

interface Spot {
  words: readonly PromptWord[];
  at: number;
  language: string;
}

function cueAt(book: WordBook, spot: Spot): { cue?: Cue; taken: number } {
  const { words, at, language } = spot;
  const first = words[at] as PromptWord;
  const close = { from: first.at, several: false, missing: false, language };
  for (let count = Math.min(LONGEST_PHRASE, words.length - at); count > 1; count--) {
    const part = words.slice(at, at + count);
    const last = part.at(-1) as PromptWord;
    if (last.at !== first.at + count - 1 || last.script !== first.script) continue;
    const phrase = part.map(({ text }) => text).join(' ');
    const exact = book.names(phrase, language);
    const names = exact.length > 0 ? exact : book.names(phrase.replace(/s$/u, ''), language);
    if (names.length > 0)
      return { cue: { ...close, names, to: last.at + 1, several: exact.length === 0 }, taken: count };
  }
  const found = singleWord(book, first.text, language);
  return found ? { cue: { ...close, ...found, to: first.at + lengthOf(first) }, taken: 1 } : { taken: 1 };
}

/** The name of a number, as the book has it. */
const TWO = 'n.2';

type Found = Partial<Pick<Cue, 'several' | 'missing' | 'language'>> & Pick<Cue, 'names'>;

/** As it is written, as something that is missing, inflected, as a compound, and as English. */
function singleWord(book: WordBook, text: string, language: string): Found | undefined {
  const bare = bared(text, language, 'prefixes');
  const forms = bare === undefined ? [text] : [text, bare];
  for (const form of forms) {
    const names = book.names(form, language);
    const several = !names.includes(form) && says(form, language, 'irregular');
    if (names.length > 0) return { names, several };
  }
  const lost = bared(text, language, 'without') ?? '';
  const lostNames = lost.length < 2 ? [] : book.inflected(lost, language);
  if (lostNames.length > 0) return { names: lostNames, missing: true };
  for (const form of forms) {
    const names = book.inflected(form, language);
    if (names.length === 0) continue;
    return says(form, language, 'two')
      ? { names: [...names, TWO] }
      : { names, several: says(form, language, 'several') };
  }
  return compound(book, text, language) ?? borrowed(book, text, language);
}

/** A compound is what its last part is: `Feuerwehrauto` is a car. */
function compound(book: WordBook, text: string, language: string): Found | undefined {
  if (!COMPOUNDING.has(language)) return undefined;
  for (let from = SHORTEST_PART - 1; from <= text.length - SHORTEST_PART; from++) {
    const names = withoutSmall(book.inflected(text.slice(from), language));
    if (names.length > 0) return { names };
  }
  return undefined;
}

/** English words are understood among those of other languages. */
function borrowed(book: WordBook, text: string, language: string): Found | undefined {
  if (language === 'en' || text.length < SHORTEST_PART - 1) return undefined;
  const names = withoutSmall(book.inflected(text, 'en'));
  return names.length > 0 ? { names, language: 'en' } : undefined;
}

/** Small words and numbers are understood in the language of the prompt only. */
function withoutSmall(names: readonly string[]): string[] {
  return names.filter((name) => !/^[pn]\./.test(name));
}

function cuesWithin(book: WordBook, word: PromptWord, language: string): Cue[] {
  const cues: Cue[] = [];
  for (let at = 0; at < word.text.length; ) {
    const found = longestAt(book, word, { at, language });
    if (found) {
      const from = word.at + at;
      cues.push({ ...found, from, to: from + found.length, several: false, missing: false });
    }
    at += found?.length ?? 1;
  }
  return cues;
}

function longestAt(book: WordBook, { text, script }: PromptWord, { at, language }: { at: number; language: string }) {
  const others = script === 'han' ? ['zh', 'zh-Hant', 'ja'].filter((other) => other !== language) : [];
  for (let length = Math.min(LONGEST_UNSPACED, text.length - at); length > 0; length--) {
    const part = text.slice(at, at + length);
    if (!isWhole(part, { before: text.slice(0, at), after: text.slice(at + length) })) continue;
    for (const known of [language, ...(length > 1 ? others : [])]) {
      const names = book.names(part, known);
      if (names.length > 0) return { names, length, language };
    }
  }
  return undefined;
}

/** Whether a part of what is written without blanks can be a word. */
function isWhole(part: string, { before, after }: { before: string; after: string }): boolean {
  if (THAI_VOWEL_BEHIND.test(after)) return false;
  if (part.length === 1 && KANA.test(part)) return false;
  const cutBefore = KATAKANA.test(part[0] ?? '') && KATAKANA.test(before.at(-1) ?? '');
  const cutAfter = KATAKANA.test(part.at(-1) ?? '') && KATAKANA.test(after[0] ?? '');
  return !(cutBefore && cutAfter);
}
