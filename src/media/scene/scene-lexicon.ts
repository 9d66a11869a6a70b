// Own code: 150 of 200 everyday nouns are drawn as what they are, and prompts of 24 languages are read without a model.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fixtureFolder } from '../../base/package/fixture-folder.ts';
import { visibleText } from '../paint/wrap-text.ts';
import { cuesOf } from './prompt-cues.ts';
import { languagesOf, mainLanguage } from './prompt-language.ts';
import { type Reading, readCues, type Subject } from './prompt-reading.ts';
import { wordsOf } from './prompt-words.ts';
import { WordBook } from './word-book.ts';

interface LexiconFile {
  times: Record<string, TimeEntry>;
  weather: Record<string, string>;
  seasons: Record<string, { words: string; land: string; leaf: string }>;
  grounds: Record<string, string>;
  colours: Record<string, { words: string; tint: string }>;
  moods: Record<string, { words: string; saturation: number; light: number }>;
  styles: Record<string, string>;
  /** Concepts that bring a ground with them where the prompt names none. */
  homes: Record<string, string>;
}

/** Sky colours run from the zenith to the horizon; `sun` is the height of sun or moon, `stars` their share, 0 to 1. */
export interface TimeEntry {
  words: string;
  sky: string[];
  haze: string;
  near: string;
  body: string;
  sun: number;
  stars: number;
}

/** A reading, and the BCP 47 tag of the language in which most is written; `und` without letters. */
export interface ReadPrompt extends Reading {
  language: string;
}

/** The published word lists that scenes follow, in 24 languages. */
export class Lexicon {
  readonly file: LexiconFile;
  readonly #book: WordBook;
  readonly #homes = new Map<string, string[]>();

  constructor(folder = join(fixtureFolder(), 'lexicon')) {
    this.file = JSON.parse(readFileSync(join(folder, 'lexicon.json'), 'utf8')) as LexiconFile;
    this.#book = new WordBook(join(folder, 'words.br'));
    for (const [ground, concepts] of Object.entries(this.file.homes)) {
      for (const concept of concepts.split(' ')) {
        this.#homes.set(concept, [...(this.#homes.get(concept) ?? []), ground]);
      }
    }
  }

  read(text: string): ReadPrompt {
    const words = wordsOf(text);
    const languages = languagesOf(this.#book, words);
    const reading = readCues(cuesOf(this.#book, words, (script) => languages.get(script) ?? 'en'));
    return { ...reading, language: mainLanguage(words, languages) ?? 'und' };
  }

  names(kind: 'times' | 'weather' | 'seasons' | 'grounds'): string[] {
    return Object.keys(this.file[kind]);
  }

  /** The grounds that a concept brings with it. */
  homesOf(concept: string): readonly string[] {
    return this.#homes.get(concept) ?? [];
  }
}

/** What a picture or a clip understands of a prompt, as the control surface tells it. */
export interface UnderstoodPrompt {
  /** BCP 47; `und` without letters. */
  language: string;
  subjects: Subject[];
  place: string | null;
  time_of_day: string | null;
  weather: string | null;
  season: string | null;
  style: string | null;
  negated: string[];
  /** The prompt as the picture says it. */
  caption: string;
}

/** Reads a prompt as renders do. */
export function understoodPrompt(prompt: string, lexicon = new Lexicon()): UnderstoodPrompt {
  const reading = lexicon.read(prompt);
  return {
    language: reading.language,
    subjects: reading.subjects,
    place: reading.grounds[0] ?? null,
    time_of_day: reading.times[0] ?? null,
    weather: reading.weather[0] ?? null,
    season: reading.seasons[0] ?? null,
    style: reading.styles[0] ?? null,
    negated: reading.negated,
    caption: visibleText(prompt),
  };
}
