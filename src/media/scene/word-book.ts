import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageDataFolder } from '../../base/package/package-folder.ts';
import { readBrotliFile, SortedLineIndex } from '../packed-file.ts';

const NEW_LINE = 10;

/**
 * `name` is a concept such as `cat`, or begins with a letter for its kind: `g.sea` is a ground, `n.3` a number, `p.before`
 * a word that negates the next one. A name that is only a guess ends with `?`.
 */
interface Named {
  name: string;
  languages: string;
}

interface Table {
  lines: SortedLineIndex;
  known: Map<string, Named[]>;
}

export class WordBook {
  readonly #languages: readonly string[];
  readonly #words: Table;
  readonly #stems: Table;

  constructor(path: string) {
    const bytes = readBrotliFile(path);
    const head = bytes.indexOf(NEW_LINE);
    this.#languages = bytes.toString('latin1', 0, head).split(' ');
    this.#words = { lines: new SortedLineIndex(bytes, head + 1), known: new Map() };
    this.#stems = { lines: new SortedLineIndex(bytes, this.#words.lines.end + 1), known: new Map() };
  }

  names(word: string, language: string): string[] {
    return this.#of(namedIn(this.#words, word), language);
  }

  inflected(word: string, language: string): string[] {
    const exact = this.names(word, language);
    const stem = exact.length > 0 || word.length < 2 ? undefined : stemWord(word, language);
    if (stem === undefined) return exact;
    const bare = this.names(stem, language);
    return bare.length > 0 ? bare : this.#of(namedIn(this.#stems, stem), language);
  }

  #of(named: readonly Named[], language: string): string[] {
    const letter = String.fromCharCode(97 + this.#languages.indexOf(language));
    return named.filter(({ languages }) => languages.includes(letter)).map(({ name }) => name);
  }
}

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

interface Endings {
  endings: string;
  least: number;
  alike?: [pattern: string, letter: string, flags: string][];
  prefixes?: string;
  several?: string;
  women?: [pattern: string, ending: string][];
  /** The key is the figure that is drawn for an unknown word, the value a pattern of its ending. */
  people?: Record<string, string>;
}

let read: Record<string, Endings> | undefined;
const patterns = new Map<string, RegExp>();

function endingsOf(language: string): Endings | undefined {
  read ??= JSON.parse(readFileSync(join(packageDataFolder(), 'lexicon/endings.json'), 'utf8')) as Record<
    string,
    Endings
  >;
  return read[language];
}

function pattern(source: string, flags = 'u'): RegExp {
  const name = flags === 'u' ? source : `${flags} ${source}`;
  const known = patterns.get(name);
  if (known) return known;
  const made = new RegExp(source, flags);
  patterns.set(name, made);
  return made;
}

export function stemWord(word: string, language: string): string | undefined {
  const known = endingsOf(language);
  if (!known) return undefined;
  let stem = word;
  for (const [sign, letter, flags] of known.alike ?? []) stem = stem.replace(pattern(sign, flags), letter);
  const cut = stem.replace(pattern(known.endings), '');
  return cut.length >= known.least ? cut : stem;
}

export function prefixStrippedVariants(word: string, language: string): string[] {
  const { prefixes } = endingsOf(language) ?? {};
  return prefixes && pattern(prefixes).test(word) ? [word, word.replace(pattern(prefixes), '')] : [word];
}

export function isPlural(word: string, language: string): boolean {
  const { several } = endingsOf(language) ?? {};
  return several !== undefined && pattern(several).test(word);
}

export function masculineForms(word: string, language: string): string[] {
  const { women = [] } = endingsOf(language) ?? {};
  return women.flatMap(([ending, other]) => (pattern(ending).test(word) ? [word.replace(pattern(ending), other)] : []));
}

export function guessPersonFigure(word: string, language: string): string | undefined {
  const { people = {} } = endingsOf(language) ?? {};
  return Object.entries(people).find(([, ending]) => pattern(ending).test(word))?.[0];
}
