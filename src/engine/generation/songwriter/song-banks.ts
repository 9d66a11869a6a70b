import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fixtureFolder } from '../../../base/package/fixture-folder.ts';

/** Two lines that rhyme. */
export type Couplet = readonly [string, string];
type ByMood<T> = Readonly<Record<SongMood, readonly T[]>>;

export type SongMood = 'love' | 'sad' | 'bold' | 'calm' | 'dark' | 'bright';

/** Four lines that come back word for word, and the words they are remembered by. */
export interface Chorus {
  hook: string;
  lines: readonly string[];
}

/** `fixtures/songs/styles.json`. */
export interface StyleBank {
  moods: Readonly<Record<SongMood, string>>;
  genres: Readonly<Record<string, Genre>>;
  genresByMood: ByMood<string>;
  /** The word for a tempo up to so many beats a minute. */
  tempoWords: readonly (readonly [number, string])[];
  vocals: Readonly<Record<string, string>>;
  singers: ByMood<string>;
}

export interface Genre {
  match: string;
  /** Slowest and fastest, in beats a minute. */
  tempo: readonly [number, number];
  instruments: readonly string[];
}

/** `fixtures/songs/lyrics.json`. */
export interface LyricBank {
  verses: ByMood<Couplet>;
  subjects: readonly Couplet[];
  preChoruses: ByMood<Couplet>;
  choruses: ByMood<Chorus>;
  chorusTags: readonly Couplet[];
  bridges: ByMood<Couplet>;
  intros: readonly Couplet[];
  outros: ByMood<Couplet>;
  fallbackSubjects: ByMood<string>;
  titles: readonly string[];
}

/** A language other than English that lyrics are written in. */
export interface Language {
  /** As a style names it: `German`. */
  name: string;
  /** What it is called, in whatever language. */
  names: ReadonlySet<string>;
  /** Everyday words, by which a text is known to be in it. */
  words: ReadonlySet<string>;
  lyrics: LyricBank;
}

/** A language in `fixtures/songs/languages.json`: its lines suit every mood. */
type LanguageFile = Record<'names' | 'words', string> & {
  [Part in keyof LyricBank]: LyricBank[Part] extends ByMood<infer Line> ? readonly Line[] : LyricBank[Part];
};

/** What songs are made of. */
export interface SongBanks {
  styles: StyleBank;
  lyrics: LyricBank;
  languages: readonly Language[];
  /** Names of languages that no lyrics are written in. */
  otherLanguages: ReadonlySet<string>;
}

/** Reads `fixtures/songs`. */
export function loadSongBanks(): SongBanks {
  const { languages, otherNames } = read<{ languages: Record<string, LanguageFile>; otherNames: string }>('languages');
  return {
    styles: read('styles'),
    lyrics: read('lyrics'),
    languages: Object.entries(languages).map(([name, file]) => readLanguage(name, file)),
    otherLanguages: new Set(otherNames.split(' ')),
  };
}

function readLanguage(name: string, { names, words, ...lines }: LanguageFile): Language {
  const { verses, preChoruses, choruses, bridges, outros, fallbackSubjects } = lines;
  const lyrics = {
    ...lines,
    verses: inEveryMood(verses),
    preChoruses: inEveryMood(preChoruses),
    choruses: inEveryMood(choruses),
    bridges: inEveryMood(bridges),
    outros: inEveryMood(outros),
    fallbackSubjects: inEveryMood(fallbackSubjects),
  };
  return { name, names: new Set(names.split(' ')), words: new Set(words.split(' ')), lyrics };
}

function inEveryMood<T>(lines: readonly T[]): ByMood<T> {
  return { love: lines, sad: lines, bold: lines, calm: lines, dark: lines, bright: lines };
}

function read<T>(name: string): T {
  return JSON.parse(readFileSync(path.join(fixtureFolder(), 'songs', `${name}.json`), 'utf8'));
}
