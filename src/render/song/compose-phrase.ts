import { composeDrums } from './compose-drums.ts';
import { composeBass, composeComp, composePad } from './compose-harmony.ts';
import { composeTune, type TuneNote } from './compose-tune.ts';
import type { Harmony } from './music-data.ts';
import { inOctaveFrom, intensity, loosely, type PhraseFrame, stepTime } from './phrase-frame.ts';
import type { Note, Score, SungNote } from './score.ts';

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
      .flatMap((bar) => [...composeComp(frame, bar), ...composePad(frame, bar), ...composeBass(frame, bar)])
      .concat(sings || frame.phrase.kind === 'first' ? [] : playTune(frame, tune)),
    hits: bars.flatMap((bar) => composeDrums(frame, bar)),
    sung: sings ? singTune(frame, tune) : [],
  };
}

/** The lead's way with the tune: ornaments differ from take to take, and the first bar is without it. */
function playTune(frame: PhraseFrame, tune: TuneNote[]): Note[] {
  const { song, take } = frame;
  return tune.flatMap((note) => {
    const velocity = (0.6 + 0.35 * intensity(frame)) * take.dice.between(0.85, 1.05);
    const pitch = note.pitch - song.tonic + inOctaveFrom(LEAD_LOWEST, song.tonic);
    const { at, length } = timeOf(frame, note);
    const main = { role: 'lead' as const, at, length, pitch, velocity };
    if (length < 14_000 || !take.dice.chance(take.ornaments)) return [main];
    const grace = { ...main, length: 3_600, pitch: pitch + 2, velocity: velocity * 0.7 };
    return [grace, { ...main, at: at + 3_600, length: length - 3_600 }];
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
