import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fixtureFolder } from '../../../base/package/package-folder.ts';

export type Couplet = readonly [string, string];

export type SongMood = 'love' | 'sad' | 'bold' | 'calm' | 'dark' | 'bright';

/** Lines for each mood; in languages other than English the same for all. */
export type Lines<T> = Readonly<Record<SongMood, readonly T[]>> | { readonly any: readonly T[] };

/** Four lines that come back word for word, and the words they are remembered by. */
export interface Chorus {
  hook: string;
  lines: readonly string[];
}

/** `fixtures/songs/styles.json`; several words stand in one text, separated by spaces. */
export interface StyleBank {
  /** Words about the order itself or the music, which no song is about. */
  notSung: string;
  instruments: string;
  slow: string;
  fast: string;
  quietMoods: string;
  moods: Readonly<Record<SongMood, string>>;
  genres: Readonly<Record<string, LyricGenre>>;
  genresByMood: Readonly<Record<SongMood, readonly string[]>>;
  /** The word for a tempo up to so many beats a minute. */
  tempoWords: readonly (readonly [number, string])[];
  vocals: Readonly<Record<string, string>>;
  singers: Readonly<Record<SongMood, readonly string[]>>;
}

export interface LyricGenre {
  match: string;
  /** Slowest and fastest, in beats a minute. */
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

/** A language that lyrics are written in: what it is called in whatever language, and everyday words by which it is known. */
export type Language = LyricBank & Readonly<Record<'names' | 'words', string>>;

/** `fixtures/songs`: what songs are made of. */
export interface SongBanks {
  styles: StyleBank;
  /** English ones, and the sections of a song by its seconds. */
  lyrics: LyricBank & { forms: readonly (readonly [seconds: number, sections: string])[] };
  languages: { languages: Readonly<Record<string, Language>>; otherNames: string };
}

export function loadSongBanks(): SongBanks {
  const read = (name: string) => JSON.parse(readFileSync(path.join(fixtureFolder(), 'songs', `${name}.json`), 'utf8'));
  return { styles: read('styles'), lyrics: read('lyrics'), languages: read('languages') };
}
