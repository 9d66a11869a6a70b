import { decayPerSample, noteHertz, semitoneRatio } from '../speech/exact-math.ts';
import { TABLE_SIZE, type Waveforms } from '../speech/held-vowel.ts';
import type { Sound } from './music-data.ts';
import { type Note, panGains, type Stereo } from './score.ts';

export const SAMPLE_RATE = 48_000;
/** Loudness and brightness change in steps of this many samples; loudness glides between them. */
const BLOCK = 64;
const MASK = TABLE_SIZE - 1;
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
    for (let i = 0; i < stop; i++) {
      const loud = from + ((to - from) * i) / BLOCK;
      const l = phaseLeft & MASK;
      const r = phaseRight & MASK;
      const ml = mellow[l] as number;
      const mr = mellow[r] as number;
      (left[at + i] as number) += gainLeft * loud * (ml + brightness * ((bright[l] as number) - ml));
      (right[at + i] as number) += gainRight * loud * (mr + brightness * ((bright[r] as number) - mr));
      phaseLeft += step * spread;
      phaseRight += step / spread;
    }
    from = to;
    brightness *= fadeBlock;
  }
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
