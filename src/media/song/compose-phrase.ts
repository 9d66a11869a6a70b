import { composeBass, composeComp, composePad } from './compose-harmony.ts';
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

/** Drums light enough for a bar that is only beginning to fill. */
const LIGHT = ['hat', 'shaker', 'brush', 'ride', 'pedal hat'];
const FILL_DRUMS = ['snare', 'tom', 'snare', 'tom', 'kick'];
const ONCE_A_PHRASE = 'crash';

/** The beat of one bar: light, whole or lifted by the section; a phrase's last bar leads on with a fill. */
function composeDrums(frame: PhraseFrame, bar: number): Hit[] {
  const { song, take, phrase } = frame;
  if (!song.drums) return [];
  if (phrase.kind === 'last') return finalBlow(frame);
  const level = intensity(frame);
  if (level < 0.35) return [];
  const patterns = Object.entries(take.drums).filter(([drum]) => level >= 0.5 || LIGHT.includes(drum));
  if (level >= 0.9) patterns.push(...Object.entries(take.lift));
  const fills = level >= 0.55 && bar === phrase.bars - 1 && 'snare' in take.drums;
  const fillFrom = fills ? song.groove.steps - take.dice.pick([2, 4, 4, 6]) : song.groove.steps;
  const hits = patterns
    .filter(([drum]) => drum !== ONCE_A_PHRASE || bar === 0)
    .flatMap(([drum, pattern]) => hitsOf(frame, bar, { drum, pattern, fillFrom }));
  return fills ? [...hits, ...fill(frame, bar, fillFrom)] : hits;
}

function hitsOf(
  frame: PhraseFrame,
  bar: number,
  { drum, pattern, fillFrom }: { drum: string; pattern: string; fillFrom: number },
): Hit[] {
  const { dice } = frame.take;
  return readPattern(pattern)
    .filter(({ step }) => step < fillFrom)
    .map(({ step, mark }) => ({
      drum,
      at: loosely(frame, stepTime(frame, bar, step)),
      velocity: markVelocity(mark) * dice.between(0.86, 1.04),
    }));
}

function fill(frame: PhraseFrame, bar: number, from: number): Hit[] {
  const { song, take } = frame;
  const hits: Hit[] = [];
  for (let step = from; step < song.groove.steps; step++) {
    if (!take.dice.chance(0.78)) continue;
    const rise = 0.5 + (0.45 * (step - from)) / (song.groove.steps - from);
    hits.push({ drum: take.dice.pick(FILL_DRUMS), at: stepTime(frame, bar, step), velocity: rise });
  }
  return hits;
}

function finalBlow({ take }: PhraseFrame): Hit[] {
  const drums = Object.keys(take.drums);
  const blow = ['kick', 'soft kick', 'timpani'].filter((drum) => drums.includes(drum));
  const ring = drums.includes('snare') ? ['crash'] : [];
  return [...blow, ...ring].map((drum) => ({ drum, at: 0, velocity: 0.9 }));
}
