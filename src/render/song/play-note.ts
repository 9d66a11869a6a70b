import { decayPerSample, noteHertz, semitoneRatio, sine } from '../speech/exact-math.ts';
import type { Sound } from './music-data.ts';
import type { Note } from './score.ts';
import { panGains, type Stereo } from './stereo.ts';
import { TABLE_SIZE, type Waveforms } from './wavetable.ts';

export const SAMPLE_RATE = 48_000;
/** Loudness, brightness and vibrato change in steps of this many samples; loudness glides between them. */
const BLOCK = 64;
const MASK = TABLE_SIZE - 1;
const VIBRATO_HERTZ = 5.4;
/** After so many release times nothing is left to hear. */
const RELEASES = 4;

/** Adds one note to `bus`, an oscillator a side; what would sound beyond its end is cut. */
export function playNote(bus: Stereo, note: Note, voice: { sound: Sound; pan: number; waveforms: Waveforms }) {
  const { sound, pan, waveforms } = voice;
  // Read once, not for every sample.
  const { left, right } = bus;
  const mellow = waveforms.of(sound.mellow);
  const bright = waveforms.of(sound.harmonics);
  const [gainLeft, gainRight] = panGains(pan);
  const step = (noteHertz(note.pitch + 12 * (sound.octave ?? 0)) * TABLE_SIZE) / SAMPLE_RATE;
  const spread = semitoneRatio(sound.detune / 2);
  const loudness = createEnvelope(sound, note.length, note.velocity * sound.level);
  const fadeBlock = blockDecay(sound.fade);
  const tail = Math.round(sound.release * RELEASES * SAMPLE_RATE);
  const end = Math.min(left.length, note.at + note.length + tail);
  let phaseLeft = (note.at * 7) & MASK;
  let phaseRight = (note.at * 11) & MASK;
  let brightness = 1;
  let from = 0;
  for (let at = note.at; at < end; at += BLOCK) {
    const to = loudness.next();
    const stop = Math.min(BLOCK, end - at);
    const bend = vibrato(sound, at - note.at);
    const stepLeft = step * bend * spread;
    const stepRight = (step * bend) / spread;
    for (let i = 0; i < stop; i++) {
      const loud = from + ((to - from) * i) / BLOCK;
      const l = phaseLeft & MASK;
      const r = phaseRight & MASK;
      const ml = mellow[l] as number;
      const mr = mellow[r] as number;
      (left[at + i] as number) += gainLeft * loud * (ml + brightness * ((bright[l] as number) - ml));
      (right[at + i] as number) += gainRight * loud * (mr + brightness * ((bright[r] as number) - mr));
      phaseLeft += stepLeft;
      phaseRight += stepRight;
    }
    from = to;
    brightness *= fadeBlock;
  }
}

function vibrato({ vibrato: depth = 0 }: Sound, since: number): number {
  if (depth === 0) return 1;
  const seconds = since / SAMPLE_RATE;
  const grown = Math.min(1, Math.max(0, (seconds - 0.12) * 3));
  return 1 + depth * grown * 0.0578 * 0.5 * sine(seconds * VIBRATO_HERTZ);
}

function blockDecay(seconds: number): number {
  return decayPerSample(seconds / BLOCK, SAMPLE_RATE);
}

/** Attack, decay towards the sustained level, and release after the note's length: a value a block. */
function createEnvelope(sound: Sound, length: number, level: number): { next(): number } {
  const attack = Math.max(BLOCK, sound.attack * SAMPLE_RATE);
  const decay = blockDecay(sound.decay);
  const release = blockDecay(sound.release);
  let falling = 1 - sound.sustain;
  let releasing = 1;
  let at = 0;
  return {
    next: () => {
      at += BLOCK;
      if (at > attack) falling *= decay;
      if (at > length) releasing *= release;
      return level * Math.min(1, at / attack) * (sound.sustain + falling) * releasing;
    },
  };
}
