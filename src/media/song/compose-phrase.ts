import { hashText, SeededRandom } from '../paint/seeded-random.ts';
import type { Syllable } from '../speech/syllables.ts';
import { SECTIONS } from './lyric-sections.ts';
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

/** A note of the tune, before anyone plays it; steps count from the beginning of the phrase. */
interface TuneNote {
  step: number;
  /** In steps. */
  length: number;
  /** MIDI note in the octave of the tonic; the part that plays the tune moves it by octaves. */
  pitch: number;
  syllable?: Syllable;
}

interface Onset {
  step: number;
  length: number;
  syllable?: Syllable;
}

/** Bars in which one line is sung. */
const BARS_A_LINE = 2;
const MOVES = [-2, -1, -1, -1, 0, 1, 1, 1, 2];
const MOTIF_NOTES = 9;
const REACH = 4;

/** The tune of a phrase: the syllables of its lines where it has words, a rhythm of its own where not. The song alone decides it. */
export function composeTune(frame: PhraseFrame, harmony: Harmony): TuneNote[] {
  const { song, phrase } = frame;
  if (phrase.kind === 'last') return [{ step: 0, length: song.groove.steps, pitch: song.tonic }];
  const dice = new SeededRandom(hashText(`tune ${phrase.kind} ${song.name}`));
  const motif = Array.from({ length: MOTIF_NOTES }, () => dice.pick(MOVES));
  const cells = harmony.cells[`${song.groove.steps}`] ?? [];
  const rhythm = [dice.pick(cells), dice.pick(cells)];
  const windows = Math.ceil(phrase.bars / BARS_A_LINE);
  return Array.from({ length: windows }, (_, window) => {
    const line = phrase.lines[window % Math.max(1, phrase.lines.length)];
    const bars = Math.min(BARS_A_LINE, phrase.bars - window * BARS_A_LINE);
    const onsets = line
      ? placeSyllables(line, bars * song.groove.steps, dice)
      : placeCells(rhythm.slice(0, bars), song.groove.steps);
    return pitchOnsets(frame, onsets, { window, motif });
  }).flat();
}

/** Spreads syllables over the steps of a line, by eighths where they fit, with a breath behind them. */
function placeSyllables(line: Syllable[], steps: number, dice: SeededRandom): Onset[] {
  const breath = steps >= 24 ? 4 : 1;
  const grid = line.length * 2 <= steps - breath ? 2 : 1;
  const sung = line.slice(0, Math.floor((steps - breath) / grid));
  const gaps = sung.map(() => 1);
  const spare = Math.floor((steps - breath) / grid) - sung.length;
  const pickup = spare > 3 && dice.chance(0.4) ? 1 : 0;
  for (let i = pickup; i < spare; i++) {
    const at = dice.chance(0.35) ? gaps.length - 1 : Math.floor(dice.next() * gaps.length);
    gaps[at] = (gaps[at] ?? 1) + 1;
  }
  let step = pickup * grid;
  return sung.map((syllable, i) => {
    const length = (gaps[i] ?? 1) * grid;
    const onset = { step, length: Math.min(length, 8), syllable };
    step += length;
    return onset;
  });
}

function placeCells(cells: string[], steps: number): Onset[] {
  return cells.flatMap((cell, bar) =>
    readPattern(cell).map(({ step, length }) => ({ step: bar * steps + step, length })),
  );
}

/** Moves by the motif, rests on tones of the chord where the beat is heavy, and comes home at the end. */
function pitchOnsets(
  frame: PhraseFrame,
  onsets: Onset[],
  { window, motif }: { window: number; motif: number[] },
): TuneNote[] {
  const { song, phrase } = frame;
  const { steps, beats } = song.groove;
  const centre = SECTIONS[phrase.kind].centre;
  const beatSteps = steps / beats;
  let degree = centre;
  return onsets.map(({ step, length, syllable }, i) => {
    const bar = window * BARS_A_LINE + Math.floor(step / steps);
    const chord = chordAt(frame, bar, step % steps);
    const moved = degree + (motif[i % motif.length] ?? 0);
    const kept = moved > centre + REACH ? moved - 2 : moved < centre - REACH ? moved + 2 : moved;
    const heavy = step % beatSteps === 0 || length * 2 > beatSteps || i === onsets.length - 1;
    degree = heavy ? nearestChordTone(kept, chord) : kept;
    const inPhrase = window * BARS_A_LINE * steps + step;
    return { step: inPhrase, length, pitch: degreeNote(song, degree), syllable };
  });
}

function nearestChordTone(degree: number, chord: number): number {
  const isTone = (candidate: number) => [0, 2, 4].includes((((candidate - chord) % 7) + 7) % 7);
  return [0, -1, 1, -2].map((off) => degree + off).find(isTone) ?? degree;
}
