import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fixtureFolder } from '../../package/fixture-folder.ts';
import { loadLexicon } from '../../render/text/chat-banks.ts';
import type { Lexicon } from '../../render/text/lexicon.ts';

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
  languages: Readonly<Record<string, string>>;
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

/** What songs are made of. */
export interface SongBanks {
  styles: StyleBank;
  lyrics: LyricBank;
  lexicon: Lexicon;
}

/** Reads `fixtures/songs`. */
export function loadSongBanks(): SongBanks {
  return { styles: read('styles'), lyrics: read('lyrics'), lexicon: loadLexicon() };
}

function read<T>(name: string): T {
  return JSON.parse(readFileSync(path.join(fixtureFolder(), 'songs', `${name}.json`), 'utf8'));
}
