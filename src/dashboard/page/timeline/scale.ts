import { durationText } from '../../../control/orders/timeline-entry.ts';

/** `at` is in milliseconds after the order began; `even` and `linear` are shares of the axis. */
export interface ScalePoint {
  at: number;
  even: number;
  linear: number;
}

export interface TimeScale {
  knots: readonly ScalePoint[];
  gaps: readonly { from: number; to: number; text: string }[];
}

/** Longer pauses, in milliseconds, are drawn as narrow gaps. */
const IDLE = 30_000;
/** The largest width of a gap, as a share of the axis. */
const CUT_SHARE = 0.03;

/** In the scale `even`, long times are compressed, so that 1 ms and 4 s are both visible. */
export function createTimeScale(bars: readonly { from: number; to: number | null }[]): TimeScale {
  const busy = bars.map(({ from, to }) => [Math.max(0, from), Math.max(0, to ?? from)] as const);
  const stamps = busy.flat();
  const moments = [...new Set([0, ...stamps])].sort((a, b) => a - b);
  const stretches = moments.slice(1).map((to, at) => ({ from: moments[at] ?? 0, to }));
  const isBusy = ({ from, to }: { from: number; to: number }) => busy.some(([a, b]) => a <= from && b >= to && b > a);
  const gaps = stretches.filter((each) => each.to - each.from > IDLE && !isBusy(each));
  const isGap = (from: number) => gaps.some((gap) => gap.from === from);
  const even = sharesOf(
    stretches.map(({ from, to }) => (isGap(from) ? null : 1.15 + 0.82 * Math.log10(1 + to - from))),
  );
  const linear = sharesOf(stretches.map(({ from, to }) => (isGap(from) ? null : to - from)));
  const knots = moments.map((at, position) => ({ at, even: even[position] ?? 1, linear: linear[position] ?? 1 }));
  return { knots, gaps: gaps.map(({ from, to }) => ({ from, to, text: durationText(to - from) })) };
}

/**
 * Turns lengths into positions, as shares of the axis. The first position is 0, and one follows each length. Null is a
 * gap.
 */
function sharesOf(lengths: readonly (number | null)[]): number[] {
  const cuts = lengths.filter((length) => length === null).length;
  const sum = lengths.reduce<number>((total, length) => total + (length ?? 0), 0);
  const cut = Math.min(CUT_SHARE, 0.5 / Math.max(1, cuts));
  const rest = sum === 0 ? 0 : (1 - cuts * cut) / sum;
  const positions = [0];
  for (const length of lengths) positions.push((positions.at(-1) ?? 0) + (length === null ? cut : length * rest));
  return positions;
}

export type ScaleMode = 'even' | 'linear';

export function positionOnScale({ knots }: TimeScale, name: ScaleMode, at: number): number {
  const next = knots.findIndex((knot) => knot.at >= at);
  const after = knots[next] ?? knots.at(-1);
  const before = knots[next - 1];
  if (!after) return 0;
  if (!before || after.at === at || next === -1) return after[name];
  const share = (at - before.at) / (after.at - before.at);
  return before[name] + share * (after[name] - before[name]);
}

export function formatPercent(share: number): string {
  return `${Math.round(share * 100_000) / 1000}%`;
}

export function formatTimeOffset(milliseconds: number): string {
  const ms = Math.round(milliseconds);
  if (ms < 1000) return `+${ms} ms`;
  if (ms < 60_000) return `+${(ms / 1000).toFixed(3)} s`;
  const minutes = Math.floor(ms / 60_000);
  return `+${minutes}:${((ms % 60_000) / 1000).toFixed(3).padStart(6, '0')}`;
}
