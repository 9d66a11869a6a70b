import { durationText } from '../../../control/orders/timeline-entry.ts';

/** `at` is in milliseconds after the order began; `position` is a share of the axis. */
export interface ScalePoint {
  at: number;
  position: number;
}

export interface TimeScale {
  knots: readonly ScalePoint[];
  gaps: readonly { from: number; to: number; text: string }[];
}

/** Longer pauses, in milliseconds, are drawn as narrow gaps. */
const IDLE = 30_000;
/** The largest width of a gap, as a share of the axis. */
const CUT_SHARE = 0.03;

/** Unless the scale is linear, long times are compressed, so that 1 ms and 4 s are both visible. */
export function createTimeScale(bars: readonly { from: number; to: number | null }[], isLinear: boolean): TimeScale {
  const busy = bars.map(({ from, to }) => [Math.max(0, from), Math.max(0, to ?? from)] as const);
  const moments = [...new Set([0, ...busy.flat()])].sort((a, b) => a - b);
  const stretches = moments.slice(1).map((to, at) => {
    const from = moments[at] ?? 0;
    const isGap = to - from > IDLE && !busy.some(([a, b]) => a <= from && b >= to && b > a);
    const length = isLinear ? to - from : 1.15 + 0.82 * Math.log10(1 + to - from);
    return { from, to, isGap, length };
  });
  const gaps = stretches.filter(({ isGap }) => isGap);
  const sum = stretches.reduce((total, { isGap, length }) => total + (isGap ? 0 : length), 0);
  const cut = Math.min(CUT_SHARE, 0.5 / Math.max(1, gaps.length));
  const knots: ScalePoint[] = [{ at: 0, position: 0 }];
  let position = 0;
  for (const { to, isGap, length } of stretches) {
    position += isGap ? cut : (length / sum) * (1 - gaps.length * cut);
    knots.push({ at: to, position });
  }
  return { knots, gaps: gaps.map(({ from, to }) => ({ from, to, text: durationText(to - from) })) };
}

/** Does not interpolate, because every bar and every step begins and ends at a knot. */
export function positionOnScale({ knots }: TimeScale, at: number): number {
  return (knots.find((knot) => knot.at >= at) ?? knots.at(-1))?.position ?? 0;
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
