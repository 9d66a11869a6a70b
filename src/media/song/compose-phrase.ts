import { composeTune, type TuneNote } from './compose-tune.ts';
import type { Harmony } from './music-data.ts';
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
import type { Hit, Note, Score, SungNote } from './score.ts';

const LEAD_LOWEST = 67;
/** The lowest tonic of each kind of voice. */
const VOICE_LOWEST: Record<string, number> = {
  child: 65,
  soprano: 64,
  alto: 58,
  tenor: 51,
  baritone: 45,
};

/** Writes what everyone plays in one phrase. */
export function composePhrase(frame: PhraseFrame, harmony: Harmony): Score {
  const bars = Array.from({ length: frame.phrase.bars }, (_, bar) => bar);
  const tune = composeTune(frame, harmony);
  const sings = frame.song.singer !== null && frame.phrase.lines.length > 0;
  return {
    samples: frame.samples,
    notes: bars
      .flatMap((bar) => [...composeComp(frame, bar), ...composeBass(frame, bar)])
      .concat(sings || frame.phrase.kind === 'first' ? [] : playTune(frame, tune)),
    hits: bars.flatMap((bar) => composeDrums(frame, bar)),
    sung: sings ? singTune(frame, tune) : [],
  };
}

function playTune(frame: PhraseFrame, tune: TuneNote[]): Note[] {
  const { song, take } = frame;
  return tune.map((note) => {
    const velocity = (0.6 + 0.35 * intensity(frame)) * take.dice.between(0.85, 1.05);
    const pitch = note.pitch - song.tonic + inOctaveFrom(LEAD_LOWEST, song.tonic);
    return { role: 'lead', ...timeOf(frame, note), pitch, velocity };
  });
}

function singTune(frame: PhraseFrame, tune: TuneNote[]): SungNote[] {
  const { song, take } = frame;
  const lowest = VOICE_LOWEST[song.singer ?? 'alto'] ?? 58;
  return tune.flatMap((note) => {
    if (!note.syllable) return [];
    const pitch = note.pitch - song.tonic + inOctaveFrom(lowest, song.tonic);
    const velocity = take.dice.between(0.86, 1);
    return [{ ...timeOf(frame, note), pitch, velocity, syllable: note.syllable }];
  });
}

function timeOf(frame: PhraseFrame, { step, length }: TuneNote): { at: number; length: number } {
  const { steps } = frame.song.groove;
  const at = loosely(frame, stepTime(frame, Math.floor(step / steps), step % steps));
  return { at, length: Math.round((length * frame.barSamples) / steps) };
}

/** Drums light enough for a bar that is only beginning to fill. */
const LIGHT = ['hat', 'brush', 'ride', 'pedal hat'];

/** The beat of one bar: light, whole or lifted by the section. */
function composeDrums(frame: PhraseFrame, bar: number): Hit[] {
  const { song, take, phrase } = frame;
  const level = intensity(frame);
  if (!song.drums || level < 0.35) return [];
  if (phrase.kind === 'last') return [{ drum: Object.keys(take.drums)[0] ?? 'kick', at: 0, velocity: 0.9 }];
  const patterns = Object.entries(take.drums).filter(([drum]) => level >= 0.5 || LIGHT.includes(drum));
  if (level >= 0.9) patterns.push(...Object.entries(take.lift));
  return patterns.flatMap(([drum, pattern]) =>
    readPattern(pattern).map(({ step, mark }) => ({
      drum,
      at: loosely(frame, stepTime(frame, bar, step)),
      velocity: markVelocity(mark) * take.dice.between(0.86, 1.04),
    })),
  );
}

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
function composeComp(frame: PhraseFrame, bar: number): Note[] {
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
function composeBass(frame: PhraseFrame, bar: number): Note[] {
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
