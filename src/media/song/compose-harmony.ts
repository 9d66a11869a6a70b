import {
  chordAt,
  degreeNote,
  inOctaveFrom,
  intensity,
  loosely,
  markVelocity,
  type PhraseFrame,
  readPattern,
  stepTime,
} from './phrase-frame.ts';
import type { Note } from './score.ts';

const COMP_LOWEST = 54;
const BASS_LOWEST = 33;
/** What a digit of a bass pattern adds to the root, in degrees of the scale. */
const BASS_DEGREES: Record<string, number> = { R: 0, '3': 2, '5': 4, '6': 5, '8': 7 };

/** The tones of the chord on `degree`, close together, from `lowest` up. */
function chordNotes({ song }: PhraseFrame, degree: number, lowest: number): number[] {
  const tones = Array.from({ length: song.chordNotes }, (_, i) => degreeNote(song, degree + 2 * i));
  return tones.map((tone) => inOctaveFrom(lowest, tone)).sort((one, other) => one - other);
}

/** Rhythmic chords or broken ones, as the groove's pattern says. */
export function composeComp(frame: PhraseFrame, bar: number): Note[] {
  const pattern = frame.phrase.kind === 'last' ? `X${'-'.repeat(15)}` : frame.take.comp;
  const level = 0.62 + 0.3 * intensity(frame);
  return readPattern(pattern).flatMap(({ step, mark, length }) => {
    const at = loosely(frame, stepTime(frame, bar, step));
    const chord = chordNotes(frame, chordAt(frame, bar, step), COMP_LOWEST);
    const single = chord[Number(mark) % chord.length];
    const tones = single === undefined ? chord : [single];
    const velocity = level * (single === undefined ? markVelocity(mark) : 0.95);
    return tones.map((pitch, i) => ({
      role: 'comp' as const,
      at: at + i * (single === undefined ? 260 : 0),
      length: lengthOf(frame, length),
      pitch,
      velocity: velocity * frame.take.dice.between(0.88, 1.06),
    }));
  });
}

/** The root and its friends, in the groove's rhythm. */
export function composeBass(frame: PhraseFrame, bar: number): Note[] {
  if (intensity(frame) < 0.4) return [];
  const pattern = frame.phrase.kind === 'last' ? `R${'-'.repeat(15)}` : frame.take.bass;
  return readPattern(pattern).map(({ step, mark, length }) => {
    const root = chordAt(frame, bar, step);
    const rootNote = inOctaveFrom(BASS_LOWEST, degreeNote(frame.song, root));
    const above = degreeNote(frame.song, root + (BASS_DEGREES[mark] ?? 0));
    return {
      role: 'bass' as const,
      at: loosely(frame, stepTime(frame, bar, step)),
      length: lengthOf(frame, length),
      pitch: rootNote + above - degreeNote(frame.song, root),
      velocity: frame.take.dice.between(0.84, 1),
    };
  });
}

function lengthOf({ song, barSamples }: PhraseFrame, steps: number): number {
  return Math.round((Math.min(steps, song.groove.steps) * barSamples) / song.groove.steps);
}
