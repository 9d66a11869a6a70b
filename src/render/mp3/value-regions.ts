import { GRANULE } from './subband-filter.ts';

/** Where the regions of the values that are coded in pairs end, each of which has a table of its own. */
export interface ValueRegions {
  /** How many bands the first two have, less one, as it is written. */
  bands: readonly [number, number];
  /** Where the first two end. */
  ends: readonly [number, number];
}

/** Where the bands of a spectrum end, by hertz; long windows. */
const BAND_ENDS: Record<number, readonly number[]> = {
  48000: [4, 8, 12, 16, 20, 24, 30, 36, 42, 50, 60, 72, 88, 106, 128, 156, 190, 230, 276, 330, 384, 576],
  16000: [6, 12, 18, 24, 30, 36, 44, 54, 66, 80, 96, 116, 140, 168, 200, 238, 284, 336, 396, 464, 522, 576],
};
/** Shares of the paired values that the first region and the first two have at least: the largest values come first. */
const SHARES = [0.12, 0.4] as const;
const MOST_BANDS = [16, 8] as const;

/** Of sound of 48,000 or 16,000 hertz, by the half of how many values are paired. */
export function valueRegions(sampleRate: number): readonly ValueRegions[] {
  const ends = BAND_ENDS[sampleRate] ?? [];
  return Array.from({ length: GRANULE / 2 + 1 }, (_, pairs) => regionsOf(2 * pairs, ends));
}

function regionsOf(paired: number, ends: readonly number[]): ValueRegions {
  const reach = (share: number) => ends.findIndex((end) => end >= paired * share);
  const first = Math.min(reach(SHARES[0]), MOST_BANDS[0] - 1);
  const second = Math.max(0, Math.min(reach(SHARES[1]) - first - 1, MOST_BANDS[1] - 1));
  const end = (band: number) => Math.min(paired, ends[band] ?? paired);
  return { bands: [first, second], ends: [end(first), end(first + second + 1)] };
}
