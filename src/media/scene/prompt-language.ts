import { cuesOf } from './prompt-cues.ts';
import type { PromptWord, Script } from './prompt-words.ts';
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
/** What a telling letter, a word as it is in the book and an inflected one say of a language. */
const WEIGHT = { letter: 3, exact: 3, inflected: 1 };
/** Enough to know a language by. */
const WORDS_READ = 30;

/** The language in which each script of a prompt is read. */
export function languagesOf(book: WordBook, words: readonly PromptWord[]): Map<Script, string> {
  const scripts = new Set(words.map(({ script }) => script));
  return new Map(
    [...scripts].map((script) => {
      const own = words.filter((word) => word.script === script).slice(0, WORDS_READ);
      const scores = LANGUAGES[script].map((language) => ({ language, score: scoreOf(book, own, language) }));
      const best = scores.reduce((most, each) => (each.score > most.score ? each : most));
      return [script, best.language] as const;
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

/** How well a language knows words of one script. */
function scoreOf(book: WordBook, words: readonly PromptWord[], language: string): number {
  const signs = TELLING.filter(([, written]) => written === language);
  const telling = words.filter(({ text }) => signs.some(([sign]) => sign.test(text))).length;
  const cues = cuesOf(book, words, () => language).filter((cue) => cue.language === language);
  const known = cues.map(({ exact, from, to }) => (to - from) * (exact ? WEIGHT.exact : WEIGHT.inflected));
  return known.reduce((sum, score) => sum + score, WEIGHT.letter * telling);
}
