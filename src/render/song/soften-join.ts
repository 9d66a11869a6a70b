import type { FormBar, Phrase } from './form-plan.ts';

/** A fade that is over before the ear takes it for one; both lie within the frames that a join replaces. */
const FADE_OUT = 360;
const FADE_IN = 96;

/** Two bars that are played one after the other though neither was made for the other. */
export interface BarPair {
  from: FormBar;
  to: FormBar;
}

/**
 * Takes the edge off a join at sample `at` of interleaved stereo `samples`: the first bar fades where its
 * phrase would have gone on, the second where its phrase had begun before.
 */
export function softenJoin(samples: Int16Array, at: number, pair: BarPair, phrases: Phrase[]): void {
  const { from, to } = pair;
  const wentOn = from.bar + 1 < (phrases[from.phrase]?.bars ?? 1);
  if (wentOn) fade(samples, FADE_OUT, (i) => at - 1 - i);
  if (to.bar > 0) fade(samples, FADE_IN, (i) => at + i);
}

function fade(samples: Int16Array, length: number, place: (i: number) => number): void {
  for (let i = 0; i < length; i++) {
    for (const index of [2 * place(i), 2 * place(i) + 1]) {
      samples[index] = ((samples[index] ?? 0) * i) / length;
    }
  }
}
