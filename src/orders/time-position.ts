import type { Scale } from './time-scale.ts';

export type ScaleName = 'even' | 'linear';

/** Where a moment stands on a scale, as a share of the whole. */
export function placeOf({ knots }: Scale, name: ScaleName, at: number): number {
  const next = knots.findIndex((knot) => knot.at >= at);
  const after = knots[next] ?? knots.at(-1);
  const before = knots[next - 1];
  if (!after) return 0;
  if (!before || after.at === at || next === -1) return after[name];
  const share = (at - before.at) / (after.at - before.at);
  return before[name] + share * (after[name] - before[name]);
}

/** In per cent, as styles want it. */
export function percent(share: number): string {
  return `${Math.round(share * 100_000) / 1000}%`;
}

/** `+409 ms`, `+2.740 s`, `+4:17.204`. */
export function offsetText(milliseconds: number): string {
  const ms = Math.round(milliseconds);
  if (ms < 1000) return `+${ms} ms`;
  if (ms < 60_000) return `+${(ms / 1000).toFixed(3)} s`;
  const minutes = Math.floor(ms / 60_000);
  return `+${minutes}:${((ms % 60_000) / 1000).toFixed(3).padStart(6, '0')}`;
}
