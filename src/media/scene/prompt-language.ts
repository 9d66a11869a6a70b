import { isUnspaced, type PromptWord, type Script } from './prompt-words.ts';
import type { WordBook } from './word-book.ts';

/** The languages of each script; of two that know a prompt as well, the first one is meant. */
const LANGUAGES: Record<Script, readonly string[]> = {
  latin: ['en', 'de', 'fr', 'es', 'pt', 'it', 'nl', 'sv', 'pl', 'cs', 'tr', 'id', 'vi'],
  cyrillic: ['ru', 'uk'],
  greek: ['el'],
  arabic: ['ar'],
  hebrew: ['he'],
  devanagari: ['hi'],
  thai: ['th'],
  hangul: ['ko'],
  han: ['zh', 'zh-Hant', 'ja'],
};
/** Letters that only some languages of a script write. */
const TELLING: readonly (readonly [RegExp, string])[] = [
  [/[ぁ-ヿ]/u, 'ja'],
  [/[іїєґ]/u, 'uk'],
  [/[ыэъё]/u, 'ru'],
  [/ß/u, 'de'],
  [/[ñ¿¡]/u, 'es'],
  [/[ąęłńśźż]/u, 'pl'],
  [/[ěřů]/u, 'cs'],
  [/[ğış]/u, 'tr'],
  [/[ơưđăạảấầẩậắằẵặẹẻẽếềểễệỉịọỏốồổộớờởợụủứừửựỳỵỷỹ]/u, 'vi'],
  [/[ãõ]/u, 'pt'],
  [/å/u, 'sv'],
];
/** What a letter and what each word of a phrase says of a language. */
const WEIGHT = { letter: 2, word: 3 };
/** Languages whose scores differ by no more are looked at closer. */
const CLOSE = 4;
const DIGITS = /^\d+$/;
/** Enough to know a language by. */
const WORDS_READ = 120;
const LONGEST_UNSPACED = 6;

/** The language in which each script of a prompt is read. */
export function languagesOf(book: WordBook, words: readonly PromptWord[]): Map<Script, string> {
  const scripts = new Set(words.map(({ script }) => script));
  return new Map(
    [...scripts].map((script) => {
      const own = words.filter((word) => word.script === script).slice(0, WORDS_READ);
      return [script, languageOf(book, script, own)] as const;
    }),
  );
}

/** The language in which most is written; undefined without any letters. */
export function mainLanguage(words: readonly PromptWord[], languages: Map<Script, string>): string | undefined {
  const written = new Map<Script, number>();
  for (const { text, script } of words) {
    // A letter of these says as much as two of others.
    const weight = script === 'han' || script === 'hangul' ? 2 : 1;
    written.set(script, (written.get(script) ?? 0) + text.length * weight);
  }
  const [most] = [...written].sort(([, one], [, other]) => other - one);
  return most && languages.get(most[0]);
}

function languageOf(book: WordBook, script: Script, words: readonly PromptWord[]): string {
  const candidates = LANGUAGES[script];
  const [first = 'en'] = candidates;
  if (candidates.length === 1) return first;
  const scores = scoresOf(book, words);
  const scored = candidates.map((language) => ({ language, score: scores.get(book.letter(language)) ?? 0 }));
  const best = Math.max(...scored.map(({ score }) => score));
  return bestKnown(
    book,
    words,
    scored.filter(({ score }) => best - score <= CLOSE),
  );
}

/** What the words as they are written say for each language, by its letter in the book. */
function scoresOf(book: WordBook, words: readonly PromptWord[]): Map<string, number> {
  const scores = new Map<string, number>();
  const add = (letter: string, score: number) => scores.set(letter, (scores.get(letter) ?? 0) + score);
  for (const [sign, language] of TELLING) {
    const telling = words.filter(({ text }) => sign.test(text)).length;
    add(book.letter(language), WEIGHT.letter * telling);
  }
  for (const phrase of phrasesOf(words)) {
    const named = DIGITS.test(phrase) ? [] : book.find(phrase);
    for (const letter of named.flatMap(({ languages }) => [...languages])) {
      add(letter, WEIGHT.word * phrase.split(' ').length);
    }
  }
  return scores;
}

/** Of languages that know about as much as it is written: the one that knows most with inflected words too. */
function bestKnown(
  book: WordBook,
  words: readonly PromptWord[],
  scored: readonly { language: string; score: number }[],
): string {
  const known = (language: string) =>
    words.filter(({ text }) => text.length > 2 && book.inflected(text, language).length > 0).length;
  const weighed = scored.map(({ language, score }) => ({ language, score: score + WEIGHT.word * known(language) }));
  const most = Math.max(...weighed.map(({ score }) => score));
  return weighed.find(({ score }) => score === most)?.language ?? 'en';
}

function phrasesOf(words: readonly PromptWord[]): string[] {
  return words.flatMap((word, at) => {
    if (isUnspaced(word.script)) return partsOf(word.text);
    const next = words[at + 1];
    return next && next.at === word.at + 1 ? [word.text, `${word.text} ${next.text}`] : [word.text];
  });
}

function partsOf(text: string): string[] {
  const parts: string[] = [];
  for (let at = 0; at < Math.min(text.length, WORDS_READ); at++) {
    for (let length = 1; length <= LONGEST_UNSPACED; length++) {
      if (at + length <= text.length) parts.push(text.slice(at, at + length));
    }
  }
  return parts;
}
