import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fixtureFolder } from '../../../base/package/package-folder.ts';

export type Couplet = readonly [string, string];

export type SongMood = 'love' | 'sad' | 'bold' | 'calm' | 'dark' | 'bright';

/** Only English has different lines for each mood. */
export type Lines<T> = Readonly<Record<SongMood, readonly T[]>> | { readonly any: readonly T[] };

export interface Chorus {
  hook: string;
  lines: readonly string[];
}

/** Several words share a text, separated by spaces. */
export interface StyleBank {
  notSung: string;
  instruments: string;
  slow: string;
  fast: string;
  quietMoods: string;
  moods: Readonly<Record<SongMood, string>>;
  genres: Readonly<Record<string, LyricGenre>>;
  genresByMood: Readonly<Record<SongMood, readonly string[]>>;
  /** By the highest tempo, in beats per minute. */
  tempoWords: readonly (readonly [number, string])[];
  vocals: Readonly<Record<string, string>>;
  singers: Readonly<Record<SongMood, readonly string[]>>;
}

export interface LyricGenre {
  match: string;
  /** Slowest and fastest, in beats per minute. */
  tempo: readonly [number, number];
  instruments: readonly string[];
}

export interface LyricBank {
  verses: Lines<Couplet>;
  subjects: readonly Couplet[];
  preChoruses: Lines<Couplet>;
  choruses: Lines<Chorus>;
  chorusTags: readonly Couplet[];
  bridges: Lines<Couplet>;
  intros: readonly Couplet[];
  outros: Lines<Couplet>;
  fallbackSubjects: Lines<string>;
  titles: readonly string[];
}

/** Its name in several languages, and common words that identify it. */
export type Language = LyricBank & Readonly<Record<'names' | 'words', string>>;

export interface SongBanks {
  styles: StyleBank;
  /** The forms of a song by its length in seconds. */
  lyrics: LyricBank & { forms: readonly (readonly [seconds: number, sections: string])[] };
  languages: { languages: Readonly<Record<string, Language>>; otherNames: string };
}

export function loadSongBanks(): SongBanks {
  const read = (name: string) => JSON.parse(readFileSync(path.join(fixtureFolder(), 'songs', `${name}.json`), 'utf8'));
  return { styles: read('styles'), lyrics: read('lyrics'), languages: read('languages') };
}
