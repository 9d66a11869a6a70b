import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageDataFolder } from '../../base/package/package-folder.ts';
import {
  findCues,
  interpretCues,
  type PromptInterpretation,
  type PromptWord,
  splitPromptWords,
  type WritingScript,
} from './prompt-reading.ts';
import { WordBook } from './word-book.ts';

interface LexiconFile {
  times: Record<string, TimeOfDayEntry>;
  weather: Record<string, string>;
  seasons: Record<string, { words: string; land: string; leaf: string }>;
  grounds: Record<string, string>;
  colours: Record<string, { words: string; tint: string }>;
  moods: Record<string, { words: string; saturation: number; light: number }>;
  styles: Record<string, string>;
  /** Concepts, separated by spaces. The figures of `served` contain their own cup, glass or dish. */
  table: Record<'vessels' | 'filling' | 'served', string>;
  homes: Record<string, string>;
}

/** `sky` goes from zenith to horizon. `sun` is the height of sun or moon; `stars` is at most 1. */
export interface TimeOfDayEntry {
  words: string;
  sky: string[];
  haze: string;
  near: string;
  body: string;
  sun: number;
  stars: number;
}

export class Lexicon {
  readonly file: LexiconFile;
  readonly table: Readonly<Record<keyof LexiconFile['table'], ReadonlySet<string>>>;
  readonly #book: WordBook;
  readonly #homes = new Map<string, string[]>();

  constructor(folder = join(packageDataFolder(), 'lexicon')) {
    this.file = JSON.parse(readFileSync(join(folder, 'lexicon.json'), 'utf8')) as LexiconFile;
    const { vessels, filling, served } = this.file.table;
    const listed = (words: string) => new Set(words.split(' '));
    this.table = { vessels: listed(vessels), filling: listed(filling), served: listed(served) };
    this.#book = new WordBook(join(folder, 'words.br'));
    for (const [ground, concepts] of Object.entries(this.file.homes)) {
      for (const concept of concepts.split(' ')) {
        this.#homes.set(concept, [...(this.#homes.get(concept) ?? []), ground]);
      }
    }
  }

  read(text: string): PromptInterpretation {
    const words = splitPromptWords(text);
    const languages = languagesOf(this.#book, words);
    return interpretCues(findCues(this.#book, words, (script) => languages.get(script) ?? 'en'));
  }

  names(kind: 'times' | 'weather' | 'seasons' | 'grounds'): string[] {
    return Object.keys(this.file[kind]);
  }

  homesOf(concept: string): readonly string[] {
    return this.#homes.get(concept) ?? [];
  }
}

const LANGUAGES: Record<WritingScript, readonly string[]> = {
  latin: ['en', 'de', 'fr', 'es', 'pt', 'it', 'nl', 'sv', 'pl', 'cs', 'tr', 'id', 'vi'],
  cyrillic: ['ru', 'uk'],
  greek: ['el'],
  arabic: ['ar'],
  hebrew: ['he'],
  devanagari: ['hi'],
  thai: ['th'],
  hangul: ['ko'],
  han: ['zh', 'zh-Hant', 'ja'],
  emoji: ['en'],
};
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
const WEIGHT = { letter: 3, exact: 3, inflected: 1 };
const WORDS_READ = 30;

function languagesOf(book: WordBook, words: readonly PromptWord[]): Map<WritingScript, string> {
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

function scoreOf(book: WordBook, words: readonly PromptWord[], language: string): number {
  const signs = TELLING.filter(([, written]) => written === language);
  const telling = words.filter(({ text }) => signs.some(([sign]) => sign.test(text))).length;
  const cues = findCues(book, words, () => language).filter((cue) => cue.language === language);
  const known = cues.map(({ exact, from, to }) => (to - from) * (exact ? WEIGHT.exact : WEIGHT.inflected));
  return known.reduce((sum, score) => sum + score, WEIGHT.letter * telling);
}
