import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fixtureFolder } from '../../package/fixture-folder.ts';

interface LexiconFile {
  times: Record<string, TimeEntry>;
  weather: Record<string, string>;
  seasons: Record<string, { words: string; land: string; leaf: string }>;
  grounds: Record<string, string>;
  colours: Record<string, { words: string; tint: string }>;
  moods: Record<string, { words: string; saturation: number; light: number }>;
  styles: Record<string, string>;
  figures: Record<Habitat, string>;
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

/** Where a figure belongs. */
export type Habitat = 'air' | 'ground' | 'water' | 'deep' | 'space';

export interface FigureWord {
  shape: string;
  habitat: Habitat;
}

type Kind = 'times' | 'weather' | 'seasons' | 'grounds' | 'colours' | 'moods' | 'styles';

/** What the words of a prompt name, in the order of the prompt. */
export type Reading = Record<Kind, string[]> & { figures: FigureWord[] };

const KINDS: Kind[] = ['times', 'weather', 'seasons', 'grounds', 'colours', 'moods', 'styles'];

/** The published word lists that scenes follow. */
export class Lexicon {
  readonly file: LexiconFile;
  readonly #words = new Map<string, { kind: Kind; name: string }[]>();
  readonly #figures = new Map<string, FigureWord>();

  constructor(path = join(fixtureFolder(), 'lexicon/lexicon.json')) {
    this.file = JSON.parse(readFileSync(path, 'utf8')) as LexiconFile;
    for (const kind of KINDS) this.#learn(kind);
    for (const [habitat, list] of Object.entries(this.file.figures)) {
      this.#learnFigures(habitat as Habitat, list);
    }
  }

  read(text: string): Reading {
    const found: Reading = {
      ...{ times: [], weather: [], seasons: [], grounds: [], colours: [], moods: [], styles: [] },
      figures: [],
    };
    for (const word of text.toLowerCase().match(/[a-z]+/g) ?? []) this.#note(word, found);
    return found;
  }

  names(kind: Kind): string[] {
    return Object.keys(this.file[kind]);
  }

  #note(word: string, found: Reading): void {
    for (const form of [word, word.replace(/s$/, ''), word.replace(/es$/, '')]) {
      for (const { kind, name } of this.#words.get(form) ?? []) {
        if (!found[kind].includes(name)) found[kind].push(name);
      }
      const figure = this.#figures.get(form);
      if (figure && !found.figures.some((other) => other.shape === figure.shape)) {
        found.figures.push(figure);
      }
    }
  }

  #learn(kind: Kind): void {
    for (const [name, entry] of Object.entries(this.file[kind])) {
      const words = typeof entry === 'string' ? entry : entry.words;
      for (const word of words.split(' ')) {
        const held = this.#words.get(word);
        if (held) held.push({ kind, name });
        else this.#words.set(word, [{ kind, name }]);
      }
    }
  }

  #learnFigures(habitat: Habitat, list: string): void {
    for (const entry of list.split(' ')) {
      const [shape = '', words = ''] = entry.split(':');
      for (const word of words.split(',')) this.#figures.set(word, { shape, habitat });
    }
  }
}
