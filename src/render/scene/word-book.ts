import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { fixtureFolder } from '../../package/fixture-folder.ts';
import { stemOf } from './word-stem.ts';

const NEW_LINE = 10;
const TAB = 9;

/**
 * What a word names: a figure's concept, or a letter for the kind of scene word, a dot and its name, such as `g.sea`; a
 * question mark behind it says that it is doubtful.
 */
export interface Named {
  name: string;
  /** A letter for each language in which it does. */
  languages: string;
}

/** Lines that are sorted by their bytes: a word is found by halving them, so that nothing but the file is kept. */
class Table {
  readonly #bytes: Buffer;
  readonly #from: number;
  /** Behind the last line. */
  readonly end: number;

  constructor(bytes: Buffer, from: number) {
    this.#bytes = bytes;
    this.#from = from;
    const blank = bytes.indexOf('\n\n', from);
    this.end = blank < 0 ? bytes.length : blank + 1;
  }

  find(word: string): Named[] {
    const sought = Buffer.from(word, 'utf8');
    let [low, high] = [this.#from, this.end];
    while (low < high) {
      const middle = (low + high) >> 1;
      const start = Math.max(low, this.#bytes.lastIndexOf(NEW_LINE, middle - 1) + 1);
      const tab = this.#bytes.indexOf(TAB, start);
      const order = this.#bytes.compare(sought, 0, sought.length, start, tab);
      if (order === 0) return this.#entries(tab + 1);
      if (order > 0) high = start;
      else low = this.#bytes.indexOf(NEW_LINE, tab) + 1;
    }
    return [];
  }

  #entries(start: number): Named[] {
    const line = this.#bytes.toString('latin1', start, this.#bytes.indexOf(NEW_LINE, start));
    return line.split(' ').map((entry) => {
      const colon = entry.indexOf(':');
      return { name: entry.slice(0, colon), languages: entry.slice(colon + 1) };
    });
  }
}

/** The words of all languages. */
export class WordBook {
  /** BCP 47 tags; the first one is English. */
  readonly languages: readonly string[];
  readonly #words: Table;
  readonly #stems: Table;

  constructor(path = join(fixtureFolder(), 'lexicon/words.br')) {
    const bytes = brotliDecompressSync(readFileSync(path));
    const head = bytes.indexOf(NEW_LINE);
    this.languages = bytes.toString('latin1', 0, head).split(' ');
    this.#words = new Table(bytes, head + 1);
    this.#stems = new Table(bytes, this.#words.end + 1);
  }

  /** The letter under which a language stands in the book. */
  letter(language: string): string {
    return String.fromCharCode(97 + this.languages.indexOf(language));
  }

  /** Everything that a word, in lower case, names in any language. */
  find(word: string): Named[] {
    return this.#words.find(word);
  }

  /** What a word names in one language. */
  names(word: string, language: string): string[] {
    return this.#of(this.#words.find(word), language);
  }

  /** What a word of a language names, however it is inflected. */
  inflected(word: string, language: string): string[] {
    const exact = this.names(word, language);
    const stem = exact.length > 0 || word.length < 2 ? undefined : stemOf(word, language);
    if (stem === undefined) return exact;
    const bare = this.names(stem, language);
    return bare.length > 0 ? bare : this.#of(this.#stems.find(stem), language);
  }

  #of(named: readonly Named[], language: string): string[] {
    const letter = this.letter(language);
    return named.filter(({ languages }) => languages.includes(letter)).map(({ name }) => name);
  }
}
