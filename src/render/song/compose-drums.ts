import { intensity, loosely, type PhraseFrame, stepTime } from './phrase-frame.ts';
import type { Hit } from './score.ts';
import { markVelocity, readPattern } from './step-pattern.ts';

/** Drums light enough for a bar that is only beginning to fill. */
const LIGHT = ['hat', 'shaker', 'brush', 'ride', 'pedal hat'];
const FILL_DRUMS = ['snare', 'tom', 'snare', 'tom', 'kick'];
const ONCE_A_PHRASE = 'crash';

/** The beat of one bar: light, whole or lifted by the section; a phrase's last bar leads on with a fill. */
export function composeDrums(frame: PhraseFrame, bar: number): Hit[] {
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
