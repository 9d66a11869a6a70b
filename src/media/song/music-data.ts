import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fixtureFolder } from '../../base/package/package-folder.ts';

export type VoiceRole = 'bass' | 'comp' | 'lead';

export interface Genre {
  words: string[];
  tempo: [number, number];
  modes: string[];
  grooves: string[];
  /** The delay of every second eighth, in eighths. */
  swing?: number;
  sevenths?: boolean;
}

interface StyleWords {
  tempos: Record<string, [number, number]>;
  modes: Record<string, string>;
  metres: Record<string, string>;
  singers: Record<string, string>;
  drumless: string[];
}

/** A pattern is one bar with one character per step. Several patterns are alternatives. */
export interface Groove {
  steps: number;
  beats: number;
  drums: Record<string, string[]>;
  lift: Record<string, string[]>;
  bass: string[];
  comp: string[];
}

export type ProgressionKind = 'verse' | 'chorus' | 'bridge';

export interface Harmony {
  modes: Record<string, number[]>;
  progressions: Record<string, Record<ProgressionKind, number[][]>>;
  cells: Record<string, string[]>;
}

/** A timbre: the loudness of each harmonic at the attack (`harmonics`) and later (`mellow`). Times are in seconds. */
export interface Sound {
  harmonics: number[];
  mellow: number[];
  fade: number;
  attack: number;
  decay: number;
  sustain: number;
  release: number;
  /** Semitones between the left and the right oscillator. */
  detune: number;
  octave?: number;
  level: number;
}

export interface DrumSound {
  seconds: number;
  pan?: number;
  tone?: { from: number; to: number; sweep: number; decay: number; level: number };
  noise?: { bright: number; decay: number; level: number; attack?: number; bursts?: number };
}

export interface MusicData {
  genres: Record<string, Genre>;
  words: StyleWords;
  grooves: Record<string, Groove>;
  harmony: Harmony;
  sounds: Record<VoiceRole, Sound>;
  drums: Record<string, DrumSound>;
}

export function readMusicData(): MusicData {
  const read = (name: string) => JSON.parse(readFileSync(path.join(fixtureFolder(), 'music', `${name}.json`), 'utf8'));
  return {
    genres: read('genres'),
    words: read('style-words'),
    grooves: read('grooves'),
    harmony: read('harmony'),
    sounds: read('sounds'),
    drums: read('drum-sounds'),
  };
}

/** Throws for an unknown name. Tests check all names that the files use. */
export function entry<T>(table: Record<string, T>, name: string): T {
  const found = table[name];
  if (found === undefined) throw new Error(`fixtures/music holds no "${name}".`);
  return found;
}
