import { composeBass, composeComp } from './compose-harmony.ts';
import { composeTune, type TuneNote } from './compose-tune.ts';
import type { Harmony } from './music-data.ts';
import {
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
