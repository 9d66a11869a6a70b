import { SONG_FORMAT } from '../mp3/stream-format.ts';
import type { Phrase } from './form-plan.ts';
import { SECTIONS } from './lyric-sections.ts';
import type { SongIdentity, Take } from './song-identity.ts';

/** Everything that the parts of a phrase must agree on. */
export interface PhraseFrame {
  song: SongIdentity;
  take: Take;
  phrase: Phrase;
  barSamples: number;
  samples: number;
}

export function framePhrase(song: SongIdentity, take: Take, phrase: Phrase): PhraseFrame {
  const barSamples = song.barFrames * SONG_FORMAT.frameSamples;
  return { song, take, phrase, barSamples, samples: barSamples * phrase.bars };
}

/** How much plays in a phrase, 0 to 1. */
export function intensity({ phrase }: PhraseFrame): number {
  return SECTIONS[phrase.kind].intensity;
}

/** The degree of the scale on which the chord stands at a step of a bar; phrases of less than four bars change twice a bar. */
export function chordAt({ song, phrase }: PhraseFrame, bar: number, step: number): number {
  if (phrase.kind === 'last') return 0;
  const chords = song.progressions[SECTIONS[phrase.kind].chords];
  if (phrase.kind === 'first') return chords[0] ?? 0;
  const halves = phrase.bars * 2;
  const half = bar * 2 + (step * 2 >= song.groove.steps ? 1 : 0);
  const whole = song.groove.steps === 12 ? half - (half % 2) : half;
  return chords[Math.floor((whole * chords.length) / Math.max(halves, chords.length))] ?? 0;
}

/** MIDI note of a degree of the scale; degrees go on below 0 and above 6. */
export function degreeNote({ tonic, scale }: SongIdentity, degree: number): number {
  const octave = Math.floor(degree / 7);
  return tonic + 12 * octave + (scale[degree - 7 * octave] ?? 0);
}

/** The note an octave or more away that lies within the twelve from `lowest` on. */
export function inOctaveFrom(lowest: number, note: number): number {
  const above = (note - lowest) % 12;
  return lowest + (above < 0 ? above + 12 : above);
}

/** Where a step begins, in samples from the beginning of the phrase: swung, and never before it. */
export function stepTime(frame: PhraseFrame, bar: number, step: number): number {
  const { song, barSamples } = frame;
  const inBeat = step % 4;
  const swung = inBeat < 2 ? inBeat * (1 + song.swing) : 2 * (1 + song.swing) + (inBeat - 2) * (1 - song.swing);
  const steps = song.swing === 0 ? step : step - inBeat + swung;
  return Math.round(bar * barSamples + (steps * barSamples) / song.groove.steps);
}

/** A moment as a hand meets it, up to 7 ms off. */
export function loosely({ take, samples }: PhraseFrame, at: number): number {
  const off = Math.round(take.dice.between(-336, 336));
  return Math.max(0, Math.min(samples - 1, at + off));
}

/** What begins on a step of a pattern, and how many steps it holds. */
interface PatternStep {
  step: number;
  mark: string;
  length: number;
}

/** Reads a pattern such as `X--x..5-`: a dot is a rest, a hyphen holds what began before it. */
export function readPattern(pattern: string): PatternStep[] {
  const steps: PatternStep[] = [];
  for (const { 0: mark, index } of pattern.matchAll(/[^.-]/g)) {
    const held = /^-*/.exec(pattern.slice(index + 1))?.[0].length ?? 0;
    steps.push({ step: index, mark, length: held + 1 });
  }
  return steps;
}

/** How strongly a mark is played. */
export function markVelocity(mark: string): number {
  if (mark === 'X') return 1;
  return mark === 'o' ? 0.45 : 0.76;
}
