import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fixtureFolder } from '../../base/package/package-folder.ts';
import { noteHertz, semitoneRatio, sine } from './exact-math.ts';
import type { Syllable } from './syllables.ts';

/** Samples of one period: a power of two, so that a mask wraps the phase. */
export const TABLE_SIZE = 4096;
const MASK = TABLE_SIZE - 1;
const BLOCK = 64;
const OPENING: Record<Syllable['onset'], number> = { none: 0.03, nasal: 0.13, soft: 0.07, sharp: 0.025 };
const CLOSING = 0.16;

type Vowels = Record<string, [hertz: number, width: number, gain: number][]>;

export class Waveforms {
  readonly #sines = Float64Array.from({ length: TABLE_SIZE }, (_, i) => sine(i / TABLE_SIZE));
  readonly #vowels = JSON.parse(readFileSync(join(fixtureFolder(), 'music/vowels.json'), 'utf8')) as Vowels;
  readonly #made = new Map<string, Float32Array>();

  of(harmonics: readonly number[]): Float32Array {
    return this.#kept(harmonics.join(), () => harmonics);
  }

  /** `note` is a MIDI note. `mouth` is the height of the resonances, relative to a man's. */
  vowel(name: string, note: number, mouth: number): Float32Array {
    return this.#kept(`${name} ${note} ${mouth}`, () => {
      const base = noteHertz(note);
      const gainAt = (hertz: number) =>
        (this.#vowels[name] ?? []).reduce((sum, [centre, width, gain]) => {
          const distance = (hertz - centre * mouth) / width;
          return sum + gain / (1 + distance * distance);
        }, 0);
      const count = Math.max(3, Math.min(36, Math.floor(5_500 / base)));
      return Array.from({ length: count }, (_, i) => gainAt(base * (i + 1)) / Math.sqrt(i + 1) + 0.004);
    });
  }

  #kept(name: string, harmonics: () => readonly number[]): Float32Array {
    const table = this.#made.get(name) ?? this.#add(harmonics());
    this.#made.set(name, table);
    return table;
  }

  #add(harmonics: readonly number[]): Float32Array {
    const sum = new Float64Array(TABLE_SIZE);
    harmonics.forEach((level, i) => {
      if (level === 0) return;
      for (let at = 0; at < TABLE_SIZE; at++) {
        sum[at] = (sum[at] as number) + level * (this.#sines[(at * (i + 1)) & MASK] as number);
      }
    });
    const peak = sum.reduce((most, sample) => Math.max(most, Math.abs(sample)), 1e-9);
    return Float32Array.from(sum, (sample) => sample / peak);
  }
}

interface Mouth {
  waveforms: Waveforms;
  sampleRate: number;
  mouth: number;
  rise: number;
  fall: number;
  /** The deviation from the note in semitones, by seconds and by share of the syllable. */
  bend: (seconds: number, share: number) => number;
}

interface HeldSyllable {
  at: number;
  length: number;
  pitch: number;
  loud: number;
  syllable: Syllable;
}

export function holdVowel(out: Float32Array, held: HeldSyllable, voice: Mouth): void {
  const { at: begin, length, pitch, syllable } = held;
  const { waveforms, sampleRate, mouth, rise, fall } = voice;
  const hum = waveforms.vowel('hum', pitch, mouth);
  const open = waveforms.vowel(syllable.vowel, pitch, mouth);
  const step = (noteHertz(pitch) * TABLE_SIZE) / sampleRate;
  const end = Math.min(out.length, begin + length);
  let phase = 0;
  let before = 0;
  for (let at = begin; at < end; at += BLOCK) {
    const since = (at - begin) / sampleRate;
    const left = (begin + length - at) / sampleRate;
    const falling = Math.min(1, Math.max(0, (left - BLOCK / sampleRate) / fall));
    const loud = held.loud * Math.min(1, since / rise) * falling;
    const opened = Math.min(1, since / OPENING[syllable.onset]) * (0.35 + 0.65 * Math.min(1, left / CLOSING));
    const bent = step * semitoneRatio(voice.bend(since, (at - begin) / length));
    const stop = Math.min(BLOCK, end - at);
    for (let i = 0; i < stop; i++) {
      const closed = hum[phase & MASK] as number;
      const wave = closed + opened * ((open[phase & MASK] as number) - closed);
      (out[at + i] as number) += (before + ((loud - before) * i) / BLOCK) * wave;
      phase += bent;
    }
    before = loud;
  }
}
