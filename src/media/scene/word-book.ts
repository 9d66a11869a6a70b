import { join } from 'node:path';
import { fixtureFolder } from '../../base/package/package-folder.ts';
import { readPacked, SortedLines } from '../packed-file.ts';
import { stemOf } from './word-stem.ts';

const NEW_LINE = 10;

/** A concept, or a kind of scene word and its name, such as `g.sea`. A question mark at the end marks a guess. */
interface Named {
  name: string;
  languages: string;
}

interface Table {
  lines: SortedLines;
  known: Map<string, Named[]>;
}

export class WordBook {
  readonly #languages: readonly string[];
  readonly #words: Table;
  readonly #stems: Table;

  constructor(path = join(fixtureFolder(), 'lexicon/words.br')) {
    const bytes = readPacked(path);
    const head = bytes.indexOf(NEW_LINE);
    this.#languages = bytes.toString('latin1', 0, head).split(' ');
    this.#words = { lines: new SortedLines(bytes, head + 1), known: new Map() };
    this.#stems = { lines: new SortedLines(bytes, this.#words.lines.end + 1), known: new Map() };
  }

  names(word: string, language: string): string[] {
    return this.#of(namedIn(this.#words, word), language);
  }

  inflected(word: string, language: string): string[] {
    const exact = this.names(word, language);
    const stem = exact.length > 0 || word.length < 2 ? undefined : stemOf(word, language);
    if (stem === undefined) return exact;
    const bare = this.names(stem, language);
    return bare.length > 0 ? bare : this.#of(namedIn(this.#stems, stem), language);
  }

  #of(named: readonly Named[], language: string): string[] {
    const letter = String.fromCharCode(97 + this.#languages.indexOf(language));
    return named.filter(({ languages }) => languages.includes(letter)).map(({ name }) => name);
  }
}

/** Scores of several languages look up the same words, so this many are kept. */
const REMEMBERED = 1000;

function namedIn({ lines, known }: Table, word: string): Named[] {
  const remembered = known.get(word);
  if (remembered) return remembered;
  if (known.size > REMEMBERED) known.clear();
  const entries = lines.find(Buffer.from(word, 'utf8'))?.split(' ') ?? [];
  const named = entries.map((entry) => {
    const colon = entry.indexOf(':');
    return { name: entry.slice(0, colon), languages: entry.slice(colon + 1) };
  });
  known.set(word, named);
  return named;
}
