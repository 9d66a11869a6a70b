import { readFileSync } from 'node:fs';
import path from 'node:path';
import { packageDataFolder } from '../../base/package/package-folder.ts';

export type Couplet = readonly [string, string];

export type SongMood = 'love' | 'sad' | 'bold' | 'calm' | 'dark' | 'bright';

type Lines<T> = Readonly<Record<SongMood, readonly T[]>> | { readonly any: readonly T[] };

export interface Chorus {
  hook: string;
  lines: readonly string[];
}

/** The texts of the first five fields and of `vocals` contain several words, separated by spaces. */
export interface StyleBank {
  notSung: string;
  instruments: string;
  slow: string;
  fast: string;
  quietMoods: string;
  moods: Readonly<Record<SongMood, RecognitionWords>>;
  genres: Readonly<Record<string, LyricGenre>>;
  genresByMood: Readonly<Record<SongMood, readonly string[]>>;
  /** Words for tempos, each with the highest tempo that it describes, in beats per minute. */
  tempoWords: readonly (readonly [number, string])[];
  vocals: Readonly<Record<string, string>>;
  singers: Readonly<Record<SongMood, readonly string[]>>;
}

export interface RecognitionWords {
  match: string;
  /** Words of other languages, or parts of words, as in `Schlagerballade`. `_` stands for a blank in a word. */
  elsewhere?: string;
}

interface LyricGenre extends RecognitionWords {
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

/**
 * The lyrics in one language, the names of that language, common words by which a text in it is recognized, and words that
 * introduce the subject of a song, such as `über`.
 */
export type LanguageBank = LyricBank & Readonly<Record<'names' | 'words' | 'about', string>>;

export interface SongWordBanks {
  styles: StyleBank;
  lyrics: LyricBank & { forms: readonly (readonly [seconds: number, sections: string])[] };
  languages: Readonly<Record<'otherNames' | 'otherWords' | 'otherSongs' | 'englishWords', string>> & {
    languages: Readonly<Record<string, LanguageBank>>;
  };
}

export function loadSongWordBanks(): SongWordBanks {
  const read = (name: string) =>
    JSON.parse(readFileSync(path.join(packageDataFolder(), 'songs', `${name}.json`), 'utf8'));
  return { styles: read('styles'), lyrics: read('lyrics'), languages: read('languages') };
}

export function linesForMood<T>(lines: Lines<T>, mood: SongMood): readonly T[] {
  return 'any' in lines ? lines.any : lines[mood];
}

export function listContainsWord(text: string, word: string): boolean {
  return ` ${text} `.includes(` ${word} `);
}

export function mostFrequent(names: readonly string[], countOf: (name: string) => number): string | undefined {
  const counted = names.map((name) => ({ name, count: countOf(name) }));
  const most = Math.max(1, ...counted.map(({ count }) => count));
  return counted.find(({ count }) => count === most)?.name;
}
