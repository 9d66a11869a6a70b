import type { Triple } from './phones.ts';
import { PHONES, type Segment, type TimedSegment } from './phones.ts';

/** A segment with the way its formants go. */
export interface Movement {
  /** Where they are at its beginning and its end, between its neighbours and itself. */
  from: Triple;
  to: Triple;
  /** Where they are in its middle, and where they go from there. */
  aim: Triple;
  glide: Triple;
  /** Seconds that they take to come from the beginning, and to go to the end. */
  coming: number;
  going: number;
}

const NEUTRAL: Triple = [500, 1500, 2500];
/** How much of the way to its neighbour's formants the stronger of two gives, and how far it reaches into the other, in seconds. */
const GIVING: Record<number, { give: number; reach: number; within: number }> = {
  0: { give: 0.5, reach: 0.03, within: 0.03 },
  1: { give: 0.5, reach: 0.06, within: 0.06 },
  4: { give: 0.3, reach: 0.07, within: 0.03 },
  6: { give: 0.35, reach: 0.05, within: 0.03 },
  7: { give: 0.35, reach: 0.045, within: 0.015 },
  9: { give: 0.35, reach: 0.05, within: 0.02 },
};
const ASPIRATED = 'ptk';
const SONORANT = /[aeiouAæVOàáERéIióòUu@lrwj]/;

/** The segments of a sound between its neighbours in a word: behind an `s`, or before what is no voice, a stop has no breath. */
export function articulate(
  letter: string,
  { before = '', after = '' }: { before: string | undefined; after: string | undefined },
): readonly Segment[] {
  const segments = PHONES.get(letter) ?? [];
  if (!ASPIRATED.includes(letter)) return segments;
  return before === 's' || (after !== '' && !SONORANT.test(after)) ? segments.slice(0, 2) : segments;
}

/** How the formants move through a text: towards what comes next and away from what was. */
export function moveThrough(timed: readonly TimedSegment[]): Movement[] {
  const aims = timed.map((_, at) => aimOf(timed, at));
  const ends = timed.map(({ segment }, at) => segment.glide ?? (aims[at] as Triple));
  const joints = timed.slice(1).map((right, i) => {
    const left = timed[i] as TimedSegment;
    return joint([left.segment, right.segment], [ends[i] as Triple, aims[i + 1] as Triple]);
  });
  return timed.map(({ seconds }, at) => {
    const [before, after] = [joints[at - 1], joints[at]];
    const [aim, glide] = [aims[at] as Triple, ends[at] as Triple];
    const [coming, going] = [before?.inRight ?? 0, after?.inLeft ?? 0];
    const room = Math.min(1, (seconds * 0.9) / Math.max(coming + going, 0.001));
    const moved = { coming: coming * room, going: going * room };
    return { from: before?.formants ?? aim, to: after?.formants ?? glide, aim, glide, ...moved };
  });
}

function joint([left, right]: [Segment, Segment], [end, aim]: [Triple, Triple]) {
  const isLeft = left.rank >= right.rank;
  const { give, reach, within } = GIVING[Math.max(left.rank, right.rank)] as (typeof GIVING)[number];
  const share = left.rank === right.rank ? 0.5 : isLeft ? give : 1 - give;
  const formants = between(end, aim, share);
  return { formants, inLeft: isLeft ? within : reach, inRight: isLeft ? reach : within };
}

function between(one: Triple, other: Triple, share: number): Triple {
  const [a, b, c] = one;
  const [x, y, z] = other;
  return [a + (x - a) * share, b + (y - b) * share, c + (z - c) * share];
}

/** The formants of a segment; without any of its own those of the next sound in the word, or of the last one. */
function aimOf(timed: readonly TimedSegment[], at: number): Triple {
  const segment = timed[at]?.segment;
  if (segment?.isVelar) return velar(nearestVowel(timed, at), segment.formants ?? NEUTRAL);
  if (segment?.formants) return segment.formants;
  const next = timed.slice(at + 1, at + 3).find((one) => one.segment.formants)?.segment;
  const last = timed[at - 1]?.segment;
  return next?.formants ?? last?.glide ?? last?.formants ?? NEUTRAL;
}

function nearestVowel(timed: readonly TimedSegment[], at: number): Triple {
  const next = timed.slice(at + 1, at + 5).find(({ segment }) => segment.isVowel)?.segment;
  const last = timed.slice(Math.max(0, at - 3), at).findLast(({ segment }) => segment.isVowel)?.segment;
  return next?.formants ?? last?.glide ?? last?.formants ?? NEUTRAL;
}

/** The tongue meets the palate where the vowel is: in front, or far back with rounded lips; second and third formant meet. */
function velar([, second]: Triple, [first]: Triple): Triple {
  const near = Math.max(1150, Math.min(2250, second * 0.9 + 300));
  return [first, near, Math.max(2150, near + 450)];
}
