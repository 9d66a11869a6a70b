import type { Syllable } from '../speech/syllables.ts';
import type { Role } from './music-data.ts';

/** A note of an instrument; times in samples from the beginning of its phrase. */
export interface Note {
  role: Role;
  at: number;
  length: number;
  /** MIDI note number. */
  pitch: number;
  /** 0 to about 1. */
  velocity: number;
}

export interface Hit {
  drum: string;
  at: number;
  velocity: number;
}

export interface SungNote {
  at: number;
  length: number;
  pitch: number;
  velocity: number;
  syllable: Syllable;
}

/** All that is played in one phrase. */
export interface Score {
  /** Length of the phrase. */
  samples: number;
  notes: Note[];
  hits: Hit[];
  sung: SungNote[];
}

/** Two channels of samples, −1 to 1 when they are done. */
export interface Stereo {
  left: Float32Array;
  right: Float32Array;
}

export function silence(samples: number): Stereo {
  return { left: new Float32Array(samples), right: new Float32Array(samples) };
}

/** How loud a sound from `pan` (−1 left, 1 right) is on each side; as loud in all from everywhere. */
export function panGains(pan: number): [left: number, right: number] {
  return [Math.sqrt(1 - pan), Math.sqrt(1 + pan)];
}
