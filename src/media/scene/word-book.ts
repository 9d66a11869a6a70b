import { join } from 'node:path';
import { fixtureFolder } from '../../base/package/fixture-folder.ts';
import { readPacked, SortedLines } from '../packed-file.ts';
import { stemOf } from './word-stem.ts';

const NEW_LINE = 10;

/**
 * What a word names: a figure's concept, or a letter for the kind of scene word, a dot and its name, such as `g.sea`; a
 * question mark behind it says that it is doubtful.
 */
export interface Named {
  name: string;
  /** A letter for each language in which it does. */
  languages: string;
}

/** The words of all languages. */
export class WordBook {
  /** BCP 47 tags; the first one is English. */
  readonly languages: readonly string[];
  readonly #words: SortedLines;
  readonly #stems: SortedLines;

  constructor(path = join(fixtureFolder(), 'lexicon/words.br')) {
    const bytes = readPacked(path);
    const head = bytes.indexOf(NEW_LINE);
    this.languages = bytes.toString('latin1', 0, head).split(' ');
    this.#words = new SortedLines(bytes, head + 1);
    this.#stems = new SortedLines(bytes, this.#words.end + 1);
  }

  /** The letter under which a language stands in the book. */
  letter(language: string): string {
    return String.fromCharCode(97 + this.languages.indexOf(language));
  }

  /** Everything that a word, in lower case, names in any language. */
  find(word: string): Named[] {
    return namedIn(this.#words, word);
  }

  /** What a word names in one language. */
  names(word: string, language: string): string[] {
    return this.#of(namedIn(this.#words, word), language);
  }

  /** What a word of a language names, however it is inflected. */
  inflected(word: string, language: string): string[] {
    const exact = this.names(word, language);
    const stem = exact.length > 0 || word.length < 2 ? undefined : stemOf(word, language);
    if (stem === undefined) return exact;
    const bare = this.names(stem, language);
    return bare.length > 0 ? bare : this.#of(namedIn(this.#stems, stem), language);
  }

  #of(named: readonly Named[], language: string): string[] {
    const letter = this.letter(language);
    return named.filter(({ languages }) => languages.includes(letter)).map(({ name }) => name);
  }
}

function namedIn(lines: SortedLines, word: string): Named[] {
  const entries = lines.find(Buffer.from(word, 'utf8'))?.split(' ') ?? [];
  return entries.map((entry) => {
    const colon = entry.indexOf(':');
    return { name: entry.slice(0, colon), languages: entry.slice(colon + 1) };
  });
}
