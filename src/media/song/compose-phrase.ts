import { SONG_FORMAT } from '../mp3/stream-format.ts';
import { SeededRandom, seededHash } from '../paint/seeded-random.ts';
import type { Syllable } from '../speech/syllables.ts';
import { type HarmonyTables, type InstrumentRole, type Phrase, SECTION_TRAITS } from './form-plan.ts';
import type { SongParameters, TakeVariation } from './song-parameters.ts';

/** Times are in samples from the beginning of the phrase, and `pitch` is a MIDI note. */
export interface Note {
  role: InstrumentRole;
  at: number;
  length: number;
  pitch: number;
  velocity: number;
}

export interface DrumHit {
  drum: string;
  at: number;
  velocity: number;
}

export interface SungNote extends Omit<Note, 'role'> {
  syllable: Syllable;
}

export interface Score {
  samples: number;
  notes: Note[];
  hits: DrumHit[];
  sung: SungNote[];
}

export interface StereoSamples {
  left: Float32Array;
  right: Float32Array;
}

export function createSilence(samples: number): StereoSamples {
  return { left: new Float32Array(samples), right: new Float32Array(samples) };
}

export function panGains(pan: number): [left: number, right: number] {
  return [Math.sqrt(1 - pan), Math.sqrt(1 + pan)];
}

interface PhraseFrame {
  song: SongParameters;
  take: TakeVariation;
  phrase: Phrase;
  barSamples: number;
  samples: number;
}

export function preparePhrase(song: SongParameters, take: TakeVariation, phrase: Phrase): PhraseFrame {
  const barSamples = song.barFrames * SONG_FORMAT.frameSamples;
  return { song, take, phrase, barSamples, samples: barSamples * phrase.bars };
}

function intensity({ phrase }: PhraseFrame): number {
  return SECTION_TRAITS[phrase.kind].intensity;
}

function chordAt({ song, phrase }: PhraseFrame, bar: number, step: number): number {
  if (phrase.kind === 'last') return 0;
  const chords = song.progressions[SECTION_TRAITS[phrase.kind].chords];
  if (phrase.kind === 'first') return chords[0] ?? 0;
  const halves = phrase.bars * 2;
  const half = bar * 2 + (step * 2 >= song.groove.steps ? 1 : 0);
  const whole = song.groove.steps === 12 ? half - (half % 2) : half;
  return chords[Math.floor((whole * chords.length) / Math.max(halves, chords.length))] ?? 0;
}

function degreeNote({ tonic, scale }: SongParameters, degree: number): number {
  const octave = Math.floor(degree / 7);
  return tonic + 12 * octave + (scale[degree - 7 * octave] ?? 0);
}

function inOctaveFrom(lowest: number, note: number): number {
  const above = (note - lowest) % 12;
  return lowest + (above < 0 ? above + 12 : above);
}

function stepTime(frame: PhraseFrame, bar: number, step: number): number {
  const { song, barSamples } = frame;
  const inBeat = step % 4;
  const swung = inBeat < 2 ? inBeat * (1 + song.swing) : 2 * (1 + song.swing) + (inBeat - 2) * (1 - song.swing);
  const steps = song.swing === 0 ? step : step - inBeat + swung;
  return Math.round(bar * barSamples + (steps * barSamples) / song.groove.steps);
}

function loosely({ take, samples }: PhraseFrame, at: number): number {
  const off = Math.round(take.dice.between(-336, 336));
  return Math.max(0, Math.min(samples - 1, at + off));
}

interface PatternStep {
  step: number;
  mark: string;
  length: number;
}

function readPattern(pattern: string): PatternStep[] {
  const steps: PatternStep[] = [];
  for (const { 0: mark, index } of pattern.matchAll(/[^.-]/g)) {
    const held = /^-*/.exec(pattern.slice(index + 1))?.[0].length ?? 0;
    steps.push({ step: index, mark, length: held + 1 });
  }
  return steps;
}

function markVelocity(mark: string): number {
  if (mark === 'X') return 1;
  return mark === 'o' ? 0.45 : 0.76;
}

const LEAD_LOWEST = 67;
const VOICE_LOWEST: Record<string, number> = {
  child: 65,
  soprano: 64,
  alto: 58,
  tenor: 51,
  baritone: 45,
};

export function composePhrase(frame: PhraseFrame, harmony: HarmonyTables): Score {
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

const LIGHT = ['hat', 'brush', 'ride', 'pedal hat'];

function composeDrums(frame: PhraseFrame, bar: number): DrumHit[] {
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
const BASS_DEGREES: Record<string, number> = { R: 0, '3': 2, '5': 4, '6': 5, '8': 7 };

function chordNotes({ song }: PhraseFrame, degree: number, lowest: number): number[] {
  const tones = Array.from({ length: song.chordNotes }, (_, i) => degreeNote(song, degree + 2 * i));
  return tones.map((tone) => inOctaveFrom(lowest, tone)).sort((one, other) => one - other);
}

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

interface Onset {
  step: number;
  length: number;
  syllable?: Syllable;
}

interface TuneNote extends Onset {
  pitch: number;
}

const BARS_A_LINE = 2;
const MOVES = [-2, -1, -1, -1, 0, 1, 1, 1, 2];
const MOTIF_NOTES = 9;
const REACH = 4;

function composeTune(frame: PhraseFrame, harmony: HarmonyTables): TuneNote[] {
  const { song, phrase } = frame;
  if (phrase.kind === 'last') return [{ step: 0, length: song.groove.steps, pitch: song.tonic }];
  const dice = new SeededRandom(seededHash(`tune ${phrase.kind} ${song.name}`));
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

function pitchOnsets(
  frame: PhraseFrame,
  onsets: Onset[],
  { window, motif }: { window: number; motif: number[] },
): TuneNote[] {
  const { song, phrase } = frame;
  const { steps, beats } = song.groove;
  const centre = SECTION_TRAITS[phrase.kind].centre;
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
