import { hashText, SeededRandom } from '../paint/seeded-random.ts';
import type { Syllable } from '../speech/syllables.ts';
import { SECTIONS } from './lyric-sections.ts';
import type { Harmony } from './music-data.ts';
import { chordAt, degreeNote, type PhraseFrame, readPattern } from './phrase-frame.ts';

/** A note of the tune, before anyone plays it; steps count from the beginning of the phrase. */
export interface TuneNote {
  step: number;
  /** In steps. */
  length: number;
  /** MIDI note in the octave of the tonic; whoever takes the tune moves it by octaves. */
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
