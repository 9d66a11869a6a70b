import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fixtureFolder } from '../../base/package/package-folder.ts';

/** The parts of the band. */
export type Role = 'bass' | 'comp' | 'lead';

export interface Genre {
  words: string[];
  /** Beats a minute, lowest and highest. */
  tempo: [number, number];
  modes: string[];
  grooves: string[];
  /** How late every second eighth comes, in eighths. */
  swing?: number;
  /** Chords have four notes. */
  sevenths?: boolean;
}

export interface StyleWords {
  tempos: Record<string, [number, number]>;
  modes: Record<string, string>;
  metres: Record<string, string>;
  singers: Record<string, string>;
  drumless: string[];
}

/** Each pattern is one bar, a character a step; several of them are a choice. */
export interface Groove {
  steps: number;
  beats: number;
  drums: Record<string, string[]>;
  /** What comes on top in a chorus. */
  lift: Record<string, string[]>;
  bass: string[];
  comp: string[];
}

export type ProgressionKind = 'verse' | 'chorus' | 'bridge';

export interface Harmony {
  modes: Record<string, number[]>;
  /** Degrees of the scale, from 0, by mode and kind of section. */
  progressions: Record<string, Record<ProgressionKind, number[][]>>;
  /** Rhythms of a tune without words, by steps of the bar. */
  cells: Record<string, string[]>;
}

/** A timbre: how loud each harmonic is at the attack, and later; times in seconds. */
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
  sounds: Record<Role, Sound>;
  drums: Record<string, DrumSound>;
}

/** Everything that the emulator knows of music, from `fixtures/music`. */
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

/** The entry that the data are known to hold: tests walk all names that the files use. */
export function entry<T>(table: Record<string, T>, name: string): T {
  const found = table[name];
  if (found === undefined) throw new Error(`fixtures/music holds no "${name}".`);
  return found;
}
