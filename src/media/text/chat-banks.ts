import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fixtureFolder } from '../../base/package/fixture-folder.ts';
import { Lexicon, type LexiconFile } from './lexicon.ts';
import { type Bank, compileBank } from './phrase.ts';
import type { Word } from './word-scan.ts';

/** Banks by what they answer: a mood, an intent, a place. */
type Banks = Readonly<Record<string, Bank>>;

type Lines = readonly string[];
type LinesBy = Readonly<Record<string, Lines>>;

/** `fixtures/chat/scene-narration.json`. */
interface NarrationFile {
  openings: LinesBy;
  bodiless: Lines;
  actions: LinesBy;
  images: Lines;
  bodilessImages: Lines;
  places: LinesBy;
  times: LinesBy;
  weather: LinesBy;
  anywhere: Lines;
  gestures: Lines;
  bodilessGestures: Lines;
  tones: LinesBy;
  continuity: Lines;
  endings: Lines;
  bodilessEndings: Lines;
}

/** `fixtures/chat/scene-dialogue.json`. */
interface DialogueFile {
  intents: LinesBy;
  domains: LinesBy;
  asides: LinesBy;
  hooks: LinesBy;
}

/** `fixtures/chat/texting.json`. */
interface TextingFile {
  openers: LinesBy;
  intents: LinesBy;
  tails: LinesBy;
  asides: Lines;
  continuity: Lines;
  marks: LinesBy;
}

/** One language of `fixtures/chat/other-languages.json`. */
interface LanguageFile {
  narration: Lines;
  spoken: Lines;
  hooks: Lines;
  texts: Lines;
  tails: Lines;
}

type Compiled<T> = { readonly [K in keyof T]: T[K] extends Lines ? Bank : Banks };

export type LanguageBank = Compiled<LanguageFile>;

/** What replies are made of, ready for use. */
export interface ChatBanks {
  lexicon: Lexicon;
  facts: FactBook;
  narration: Compiled<NarrationFile>;
  dialogue: Compiled<DialogueFile>;
  texting: Compiled<TextingFile>;
  /** By the language's name in the lexicon. */
  languages: ReadonlyMap<string, LanguageBank>;
}

/** Reads and compiles `fixtures/chat`. */
export function loadChatBanks(): ChatBanks {
  return {
    lexicon: loadLexicon(),
    facts: new FactBook(read<FactEntry[]>('facts')),
    narration: compile(read<NarrationFile>('scene-narration')),
    dialogue: compile(read<DialogueFile>('scene-dialogue')),
    texting: compile(read<TextingFile>('texting')),
    languages: loadLanguages(),
  };
}

function loadLanguages(): Map<string, LanguageBank> {
  const files = Object.entries(read<Record<string, LanguageFile>>('other-languages'));
  return new Map(files.map(([language, file]) => [language, compile(file)]));
}

/** Reads what is known of English words. */
export function loadLexicon(): Lexicon {
  return new Lexicon(read<LexiconFile>('lexicon'));
}

/** The bank of that name, or the one to fall back on. */
export function bankOf(banks: Banks, name: string | undefined, fallback: Bank): Bank {
  return (name !== undefined && banks[name]) || fallback;
}

function read<T>(name: string): T {
  return JSON.parse(readFileSync(path.join(fixtureFolder(), 'chat', `${name}.json`), 'utf8'));
}

function compile<T extends object>(file: T): Compiled<T> {
  const compiled = Object.entries(file).map(([name, lines]: [string, Lines | LinesBy]) => [
    name,
    isLines(lines) ? compileBank(lines) : compileEach(lines),
  ]);
  return Object.fromEntries(compiled);
}

function compileEach(linesBy: LinesBy): Banks {
  const entries = Object.entries(linesBy);
  return Object.fromEntries(entries.map(([name, lines]) => [name, compileBank(lines)]));
}

function isLines(lines: Lines | LinesBy): lines is Lines {
  return Array.isArray(lines);
}

/** A fact of `fixtures/chat/facts.json`, and the words that ask for it. */
interface FactEntry {
  /** Lower case, separated by spaces; all of them occur in the question. */
  words: string;
  fact: string;
}

/** The few things that the emulator really knows. */
class FactBook {
  readonly #facts: readonly { words: readonly string[]; fact: string }[];

  constructor(entries: readonly FactEntry[]) {
    this.#facts = entries.map(({ words, fact }) => ({ words: words.split(' '), fact }));
  }

  /** The answer to a question, where it is known. */
  find(question: readonly Word[]): string | undefined {
    const asked = new Set(question.map((word) => word.lower));
    return this.#facts.find(({ words }) => words.every((word) => asked.has(word)))?.fact;
  }
}
